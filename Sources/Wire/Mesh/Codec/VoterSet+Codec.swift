extension VoterSet {
    /// Most voters.
    public static let votersMax = Charter.votersMax
    /// Most learners.
    public static let learnersMax = 4096
    /// Number of the byte form that `encoded` writes.
    private static let form: UInt8 = 1

    /// The set's bytes, which are the payload of `LogEntry.Kind.voters`: a form number, then what mesh frames carry.
    public func encoded() -> [UInt8] { encoded(form: Self.form) }

    /// Reads the bytes of `encoded`. Total: any bytes give a set or a fault.
    public static func decode(_ bytes: [UInt8]) -> Result<VoterSet, WireFault> {
        decode(bytes, form: form, field: "voters")
    }
}

extension VoterSet: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let node = { (reader: inout MeshReader) throws(MeshProblem) in try reader.nodeID() }
        let voters = try reader.list(limit: Self.votersMax, smallest: NodeID.byteCount, node)
        self.init(
            voters: voters, learners: try reader.list(limit: Self.learnersMax, smallest: NodeID.byteCount, node))
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.list(voters) { $1.nodeID($0) }
        sink.list(learners) { $1.nodeID($0) }
    }
}
