extension ConsensusMessage {
    /// Most entries of one message.
    public static let entriesMax = 4096
    /// Longest piece of a snapshot in bytes.
    public static let snapshotBytesMax = 1 << 20
}

extension LogEntry: MeshCoded {
    /// Fewest bytes of an entry.
    static let smallest = 8 + 8 + 1 + 4

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            term: try reader.long(), index: try reader.long(), kind: try reader.choice(),
            payload: try reader.longString(limit: Self.bytesMax))
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.long(term)
        sink.long(index)
        sink.byte(kind.rawValue)
        sink.longString(payload)
    }
}

extension ConsensusMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .voteRequest: .voteRequest
        case .vote: .vote
        case .append: .append
        case .appended: .appended
        case .snapshot: .snapshot
        case .snapshotTaken: .snapshotTaken
        case .transfer: .transfer
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        switch kind {
        case .voteRequest:
            self = .voteRequest(
                term: try reader.long(), lastIndex: try reader.long(), lastTerm: try reader.long(),
                isTrial: try reader.flag(), isTransfer: try reader.flag())
        case .vote:
            self = .vote(term: try reader.long(), isGranted: try reader.flag(), isTrial: try reader.flag())
        case .append: self = try Self.append(&reader)
        case .appended:
            self = .appended(
                term: try reader.long(), matched: try reader.long(), isRejected: try reader.flag(),
                hint: try reader.long(), round: try reader.long())
        case .snapshot:
            self = .snapshot(
                term: try reader.long(), index: try reader.long(), lastTerm: try reader.long(),
                voters: try VoterSet(&reader), offset: try reader.word(),
                bytes: try reader.longString(limit: Self.snapshotBytesMax), isLast: try reader.flag())
        case .snapshotTaken:
            self = .snapshotTaken(term: try reader.long(), index: try reader.long(), offset: try reader.word())
        case .transfer: self = .transfer(term: try reader.long())
        default: return nil
        }
    }

    private static func append(_ reader: inout MeshReader) throws(MeshProblem) -> ConsensusMessage {
        .append(
            term: try reader.long(), previousIndex: try reader.long(), previousTerm: try reader.long(),
            entries: try reader.list(limit: entriesMax, smallest: LogEntry.smallest) {
                (reader) throws(MeshProblem) in try LogEntry(&reader)
            },
            committed: try reader.long(), round: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .voteRequest(let term, let lastIndex, let lastTerm, let isTrial, let isTransfer):
            for number in [term, lastIndex, lastTerm] { sink.long(number) }
            sink.flag(isTrial)
            sink.flag(isTransfer)
        case .vote(let term, let isGranted, let isTrial):
            sink.long(term)
            sink.flag(isGranted)
            sink.flag(isTrial)
        case .append(let term, let previousIndex, let previousTerm, let entries, let committed, let round):
            for number in [term, previousIndex, previousTerm] { sink.long(number) }
            sink.list(entries) { $0.write(to: &$1) }
            sink.long(committed)
            sink.long(round)
        case .appended(let term, let matched, let isRejected, let hint, let round):
            sink.long(term)
            sink.long(matched)
            sink.flag(isRejected)
            sink.long(hint)
            sink.long(round)
        case .snapshot(let term, let index, let lastTerm, let voters, let offset, let bytes, let isLast):
            for number in [term, index, lastTerm] { sink.long(number) }
            voters.write(to: &sink)
            sink.word(offset)
            sink.longString(bytes)
            sink.flag(isLast)
        case .snapshotTaken(let term, let index, let offset):
            sink.long(term)
            sink.long(index)
            sink.word(offset)
        case .transfer(let term): sink.long(term)
        }
    }
}
