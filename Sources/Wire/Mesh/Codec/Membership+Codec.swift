extension MembershipMessage {
    /// Most rows of an exchange.
    public static let rowsMax = 4096
    /// Longest detail of a refusal in bytes.
    public static let detailBytesMax = 255
}

extension Gossip: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let updates = try reader.list(limit: Self.updatesMax, smallest: MemberUpdate.smallest) {
            (reader) throws(MeshProblem) in try MemberUpdate(&reader)
        }
        self.init(
            updates: updates, stateIndex: try reader.long(), wallMilliseconds: try reader.signed(),
            health: try reader.byte())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.list(updates) { $0.write(to: &$1) }
        sink.long(stateIndex)
        sink.signed(wallMilliseconds)
        sink.byte(health)
    }
}

extension MembershipMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .ping: .ping
        case .ack: .ack
        case .pingRequest: .pingRequest
        case .nack: .nack
        case .gossip: .gossip
        case .exchange: .exchange
        case .join: .join
        case .refused: .refused
        case .leave: .leave
        case .wrongGeneration: .wrongGeneration
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        switch kind {
        case .ping: self = .ping(sequence: try reader.word(), try Gossip(&reader))
        case .ack: self = .ack(sequence: try reader.word(), try Gossip(&reader))
        case .pingRequest:
            self = .pingRequest(sequence: try reader.word(), node: try reader.nodeID(), try Gossip(&reader))
        case .nack: self = .nack(sequence: try reader.word())
        case .gossip: self = .gossip(try Gossip(&reader))
        case .exchange:
            let rows = try reader.list(limit: Self.rowsMax, smallest: 3) { (reader) throws(MeshProblem) in
                try MemberRow(&reader)
            }
            self = .exchange(rows: rows, isReply: try reader.flag(), try Gossip(&reader))
        case .join:
            self = .join(clusterName: try reader.text(limit: Member.nameBytesMax), try Member(&reader))
        case .refused:
            self = .refused(code: try reader.choice(), detail: try reader.text(limit: Self.detailBytesMax))
        case .leave: self = .leave(try Incarnation(&reader))
        case .wrongGeneration: self = .wrongGeneration(try Member(&reader))
        default: return nil
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .ping(let sequence, let gossip), .ack(let sequence, let gossip):
            sink.word(sequence)
            gossip.write(to: &sink)
        case .pingRequest(let sequence, let node, let gossip):
            sink.word(sequence)
            sink.nodeID(node)
            gossip.write(to: &sink)
        case .nack(let sequence): sink.word(sequence)
        case .gossip(let gossip): gossip.write(to: &sink)
        case .exchange(let rows, let isReply, let gossip):
            sink.list(rows) { $0.write(to: &$1) }
            sink.flag(isReply)
            gossip.write(to: &sink)
        case .join(let clusterName, let member):
            sink.text(clusterName)
            member.write(to: &sink)
        case .refused(let code, let detail):
            sink.byte(code.rawValue)
            sink.text(detail)
        case .leave(let incarnation): incarnation.write(to: &sink)
        case .wrongGeneration(let member): member.write(to: &sink)
        }
    }
}
