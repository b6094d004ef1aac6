public import Wire

/// What became of a publish of the pipelined interface.
public struct PublishResult: Sendable {
    /// The tag that it was handed over with.
    public let tag: UInt64
    /// The node's acknowledgement, or why there is none.
    public let result: Result<Ack, Refusal>
}
