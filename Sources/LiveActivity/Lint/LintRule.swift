public import Codes

/// One rule of the linter as its reference tells it: the code with severity, what it needs to be judged, and a payload
/// that breaks it.
public struct LintRule: Sendable {
    /// What a rule needs besides the payload.
    public enum Need: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// The app's types.
        case schema
        /// What was sent before.
        case history(SentHistory)
        /// The request's headers.
        case headers
    }

    /// The code; its meaning and action are the rule's.
    public let code: Code
    /// How bad it is; some rules are milder in cases that their details name.
    public let severity: Finding.Severity
    /// What it needs.
    public let need: Need
    /// The kind of request of the example.
    public let kind: RequestKind
    /// A payload that breaks the rule, or headers, one `name: value` in each line.
    public let example: String

    init(
        _ code: Code, _ severity: Finding.Severity, _ example: String, kind: RequestKind = .device,
        need: Need = .nothing
    ) {
        self.code = code
        self.severity = severity
        self.example = example
        self.kind = kind
        self.need = need
    }

    /// The time as of which the examples are judged, seconds since 1970.
    public static let exampleNow: Int64 = 1_790_000_000

    /// The types that the examples are compared with, as a schema file.
    public static let exampleSchema = """
        {"types": {"MatchAttributes": {
          "attributes": {"matchID": "String"},
          "contentState": {"homeScore": "Int", "kickOff": "Date?", "phase": {"enum": ["live", "done"]}}}}}
        """
}
