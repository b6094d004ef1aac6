/// `shard-recover`: an admin accepts that what the missing copies of stuck shards had is lost; answered by
/// `node-status` with a document that says which shards it counts for.
public struct ShardRecovery: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "shard-recover"

    /// Echoed by the answer.
    public var sequence: Int64
    /// 0…4096; nil: every shard that is stuck.
    public var shard: UInt16?

    /// Makes the message; `CarillonProducer` sets the number itself.
    public init(sequence: Int64 = 0, shard: UInt16?) {
        self.sequence = sequence
        self.shard = shard
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        shard = try header.integer("shard", in: 0...Int64(Shard.registry)).map { UInt16($0) }
        // Said in so many words, so that no other request becomes this one by an unknown member.
        guard try header.flag("accept_loss") else { throw header.fault("accept_loss", "must be true") }
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.integer("shard", shard.map { Int64($0) })
        header.flag("accept_loss", true)
    }
}
