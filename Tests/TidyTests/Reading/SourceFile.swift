/// One file of the repository, as the checks see it: a path relative to the root, and text.
struct SourceFile: Sendable {
    let path: String
    let text: String
    /// Without line breaks.
    let lines: [String]
    /// The same lines of a Swift file with comments and the contents of strings blanked; for others, `lines`.
    let code: [String]

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = Self.split(text)
        code = path.hasSuffix(".swift") ? Self.split(SwiftText.blanked(text)) : lines
    }

    /// `Sources/Codes/Code.swift` → `Codes`; nil outside Sources and Tests.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && (parts[0] == "Sources" || parts[0] == "Tests") ? String(parts[1]) : nil
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isSource: Bool { isSwift && path.hasPrefix("Sources/") }
    var isTest: Bool { isSwift && path.hasPrefix("Tests/") }
    /// Fixtures, golden files and regressions are data: bytes that must stay as they are.
    var isFixture: Bool { path.hasPrefix("Tests/") && !isSwift }

    private static func split(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// Something that should not be so, and where.
struct Violation: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// From 1; 0 for the whole file.
    let line: Int
    let message: String

    init(_ file: SourceFile, line: Int = 0, _ message: String) {
        (path, self.line, self.message) = (file.path, line, message)
    }

    var description: String { line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)" }
}
