import Foundation

/// The files of this repository, read once.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Everything that is text; build products and what runs leave behind aside.
    static let files: [SourceFile] = paths.compactMap { path in
        guard let data = try? Data(contentsOf: root.appendingPathComponent(path)), !data.contains(0),
            let text = String(data: data, encoding: .utf8)
        else { return nil }
        return SourceFile(path, text)
    }

    /// Every path, directories included.
    static let paths: [String] = {
        let skipped: Set<String> = [".git", "data", "__pycache__", "node_modules"]
        var paths: [String] = []
        let prefix = root.standardizedFileURL.path + "/"
        let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isDirectoryKey])
        while let url = walker?.nextObject() as? URL {
            let name = url.lastPathComponent
            if skipped.contains(name) || name.hasPrefix(".build") {
                walker?.skipDescendants()
                continue
            }
            paths.append(String(url.standardizedFileURL.path.dropFirst(prefix.count)))
        }
        return paths.sorted()
    }()

    static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }
}
