/// What a `CarillonProducer` has done so far; only grows.
public struct ProducerStatistics: Sendable, Equatable {
    /// Publishes sent, repetitions included.
    public var sent: UInt64 = 0
    /// Publishes sent again after a lost connection, a time-out or a refusal for overload.
    public var repeated: UInt64 = 0
    /// Publishes acknowledged.
    public var acknowledged: UInt64 = 0
    /// Publishes that ended in a refusal or without an answer.
    public var refused: UInt64 = 0
    /// Sessions begun: above 1, connections were lost.
    public var sessions: UInt64 = 0
    /// Receipts received.
    public var receipts: UInt64 = 0
    /// Receipts dropped because nobody read them in time.
    public var receiptsDropped: UInt64 = 0
    /// Messages of the node that could not be read or answered nothing we asked.
    public var unexpected: UInt64 = 0
    /// Handshakes that failed or were refused.
    public var handshakesFailed: UInt64 = 0
    /// Nodes left because they did not even answer a ping.
    public var silences: UInt64 = 0
}
