extension ReplicationMessage {
    /// Most sections, refusals, requests, answers or digests of one message: twice the shards.
    public static let sectionsMax = 2 * (Int(Shard.count) + 1)
    /// Begin a new `copies` message when the sections of one have reached so many bytes: a frame is encrypted at one
    /// go, and everything else waits for that.
    public static let copiesBytesWanted = 262_144
}

extension ReplicationMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .copies: .copies
        case .copied: .copied
        case .promise: .promise
        case .promised: .promised
        case .rows: .rows
        case .rowsTaken: .rowsTaken
        case .rowsWanted: .rowsWanted
        case .digests: .digests
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        switch kind {
        case .copies:
            self = .copies(
                stream: try reader.long(), sections: try Self.list(&reader, smallest: CopySection.smallest))
        case .copied: self = .copied(stream: try reader.long(), refused: try Self.list(&reader, smallest: 26))
        case .promise: self = .promise(try Self.list(&reader, smallest: 10))
        case .promised: self = .promised(try Self.list(&reader, smallest: 27))
        case .rows: self = .rows(try RowsPiece(&reader))
        case .rowsTaken:
            self = .rowsTaken(
                shard: try reader.shard(), epoch: try reader.long(), piece: try reader.word(),
                to: try ShardVersion(&reader))
        case .rowsWanted: self = .rowsWanted(try Self.list(&reader, smallest: 26))
        case .digests: self = .digests(try Self.list(&reader, smallest: 30))
        default: return nil
        }
    }

    private static func list<Element: MeshCoded>(
        _ reader: inout MeshReader, smallest: Int
    ) throws(MeshProblem) -> [Element] {
        try reader.list(limit: sectionsMax, smallest: smallest) { (reader) throws(MeshProblem) in
            try Element(&reader)
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .copies(let stream, let sections):
            sink.long(stream)
            sink.list(sections) { $0.write(to: &$1) }
        case .copied(let stream, let refused):
            sink.long(stream)
            sink.list(refused) { $0.write(to: &$1) }
        case .promise(let requests): sink.list(requests) { $0.write(to: &$1) }
        case .promised(let answers): sink.list(answers) { $0.write(to: &$1) }
        case .rows(let piece): piece.write(to: &sink)
        case .rowsTaken(let shard, let epoch, let piece, let to):
            sink.short(shard)
            sink.long(epoch)
            sink.word(piece)
            to.write(to: &sink)
        case .rowsWanted(let requests): sink.list(requests) { $0.write(to: &$1) }
        case .digests(let digests): sink.list(digests) { $0.write(to: &$1) }
        }
    }
}
