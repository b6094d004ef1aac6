/// The messages of a plane are those of its families; a kind says which.
extension ControlMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .membership(let message): message.kind
        case .consensus(let message): message.kind
        case .coordination(let message): message.kind
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        if let message = try MembershipMessage(kind, &reader) {
            self = .membership(message)
        } else if let message = try ConsensusMessage(kind, &reader) {
            self = .consensus(message)
        } else if let message = try CoordinationMessage(kind, &reader) {
            self = .coordination(message)
        } else {
            return nil
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .membership(let message): message.write(to: &sink)
        case .consensus(let message): message.write(to: &sink)
        case .coordination(let message): message.write(to: &sink)
        }
    }
}

extension DataMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .replication(let message): message.kind
        case .forward: .forward
        case .forwarded: .forwarded
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        switch kind {
        case .forward: self = .forward(try Forward(&reader))
        case .forwarded: self = .forwarded(try Forwarded(&reader))
        default:
            guard let message = try ReplicationMessage(kind, &reader) else { return nil }
            self = .replication(message)
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .replication(let message): message.write(to: &sink)
        case .forward(let message): message.write(to: &sink)
        case .forwarded(let message): message.write(to: &sink)
        }
    }
}
