/// One finding of the payload linter, as a refusal carries it.
public struct WireFinding: Hashable, Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable, CaseIterable {
        /// APNs or the device would refuse it.
        case error
        /// It will probably not do what is meant.
        case warning
        /// Worth knowing.
        case info
    }

    /// The rule's slug (Docs/APNs.md 4.8).
    public var rule: String
    /// How bad it is.
    public var severity: Severity
    /// Where in the payload, for example `aps.timestamp`.
    public var path: String
    /// What was found.
    public var text: String
    /// Line of the payload, from 1; 0: not known.
    public var line: UInt32
    /// Byte of the line, from 1; 0: not known.
    public var column: UInt32

    /// Makes a finding.
    public init(rule: String, severity: Severity, path: String, text: String = "", line: UInt32, column: UInt32) {
        self.rule = rule
        self.severity = severity
        self.path = path
        self.text = text
        self.line = line
        self.column = column
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        rule = try header.requireText("rule", limit: 64)
        severity = try header.requireWord("severity", Severity.self)
        path = try header.text("path")
        text = try header.text("text")
        line = try header.count("line")
        column = try header.count("column")
    }

    func write(_ header: inout HeaderWriter) {
        header.string("rule", rule)
        header.string("severity", severity.rawValue)
        header.text("path", path)
        header.text("text", text)
        header.integer("line", Int64(line))
        header.integer("column", Int64(column))
    }
}
