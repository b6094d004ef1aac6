extension Charter {
    /// Most voters.
    public static let votersMax = 15
    /// Words of the shard seed.
    public static let shardSeedWords = 2
    /// Number of the byte form that `encoded` writes.
    private static let form: UInt8 = 1

    /// The charter's bytes, to be stored: a form number, then what mesh frames carry.
    public func encoded() -> [UInt8] { encoded(form: Self.form) }

    /// Reads the bytes of `encoded`. Total: any bytes give a charter or a fault.
    public static func decode(_ bytes: [UInt8]) -> Result<Charter, WireFault> {
        decode(bytes, form: form, field: "charter")
    }
}

extension Charter: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        cluster = try reader.nodeID()
        name = try reader.text(limit: Member.nameBytesMax)
        shardSeed = try reader.list(limit: Self.shardSeedWords, smallest: 8) { (reader) throws(MeshProblem) in
            try reader.long()
        }
        guard shardSeed.count == Self.shardSeedWords else { throw .outOfRange }
        voters = try reader.list(limit: Self.votersMax, smallest: 18) { (reader) throws(MeshProblem) in
            Voter(id: try reader.nodeID(), name: try reader.text(limit: Member.nameBytesMax))
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.nodeID(cluster)
        sink.text(name)
        sink.list(shardSeed) { $1.long($0) }
        sink.list(voters) { voter, sink in
            sink.nodeID(voter.id)
            sink.text(voter.name)
        }
    }
}
