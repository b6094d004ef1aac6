public import Codes

/// Why a message could not be decoded, with what an answer needs.
public struct WireFault: Error, Hashable, Sendable {
    /// `malformed`, `unsupported-version`, `unknown-command`, `bad-field` or `too-large`.
    public let code: Code
    /// What exactly was wrong; never holds values of the message.
    public let detail: String
    /// The header member at fault; empty when there is none.
    public let field: String
    /// The sequence number of the request, when it could still be read.
    public var sequence: Int64?

    /// Makes a fault from its parts.
    public init(_ code: Code, _ detail: String = "", field: String = "", sequence: Int64? = nil) {
        self.code = code
        self.detail = detail
        self.field = field
        self.sequence = sequence
    }

    /// The same as the error value of the other modules.
    public var fault: Fault { Fault(code, detail, at: field) }
}
