import CLinux
import Testing

/// A page under Docs with parts that are written from the sources.
enum Page {
    static let root = "\(#filePath)".split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

    /// Compares the part between `<!-- NAME -->` and `<!-- end -->` with `text`; with CARILLON_UPDATE_DOCS=1 writes it anew.
    static func compare(_ page: String, part name: String, with text: String) throws {
        let path = root + "/" + page
        let whole = String(decoding: try TestFile.contents(path), as: UTF8.self)
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "<!-- \(name) -->" }, "no part \(name) in \(page)")
        let end = try #require(lines[start...].firstIndex { $0 == "<!-- end -->" }, "\(name) has no end")
        let current = lines[(start + 1)..<end].joined(separator: "\n") + "\n"
        if getenv("CARILLON_UPDATE_DOCS") != nil, current != text {
            let before = lines[...start].joined(separator: "\n")
            let after = lines[end...].joined(separator: "\n")
            try TestFile.write(before + "\n" + text + after, to: path)
        } else {
            #expect(current == text, "\(page) is out of date: run with CARILLON_UPDATE_DOCS=1")
        }
    }
}
