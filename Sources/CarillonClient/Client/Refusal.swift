public import Codes
public import Wire

/// Why something was not done: the node refused it, or it could not be asked.
public struct Refusal: Error, Sendable, CustomStringConvertible {
    /// The code with what was wrong and where.
    public let fault: Fault
    /// The node's refusal with linter findings and retry time; nil when the node did not answer.
    public let nack: Nack?

    /// A refusal by the node.
    public init(_ nack: Nack) {
        self.nack = nack
        fault = nack.fault
    }

    /// A failure on the way.
    public init(_ fault: Fault) {
        self.fault = fault
        nack = nil
    }

    /// The fault in words; a node's text already says what to do.
    public var description: String { nack.map { "\($0.text) (\($0.code) \($0.slug))" } ?? fault.description }
}
