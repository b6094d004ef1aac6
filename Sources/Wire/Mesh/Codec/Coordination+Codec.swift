extension Progress: MeshCoded {
    /// Most entries of each list: all shards, the registry among them.
    public static let shardsMax = Int(Shard.count) + 1
    /// Most entries of `synced`.
    public static let syncedMax = 4 * shardsMax

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let active = try Self.shards(&reader)
        let synced = try reader.list(limit: Self.syncedMax, smallest: 26) { (reader) throws(MeshProblem) in
            ShardMember(shard: try reader.shard(), epoch: try reader.long(), member: try reader.nodeID())
        }
        self.init(active: active, synced: synced, released: try Self.shards(&reader))
    }

    /// A list of shards with their epochs.
    static func shards(_ reader: inout MeshReader) throws(MeshProblem) -> [ShardEpoch] {
        try reader.list(limit: shardsMax, smallest: 10) { (reader) throws(MeshProblem) in
            ShardEpoch(shard: try reader.shard(), epoch: try reader.long())
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.list(active) { Self.write($0, to: &$1) }
        sink.list(synced) { entry, sink in
            sink.short(entry.shard)
            sink.long(entry.epoch)
            sink.nodeID(entry.member)
        }
        sink.list(released) { Self.write($0, to: &$1) }
    }

    static func write<Sink: MeshSink>(_ entry: ShardEpoch, to sink: inout Sink) {
        sink.short(entry.shard)
        sink.long(entry.epoch)
    }
}

extension CoordinationMessage: MeshMessage {
    var kind: MeshKind {
        switch self {
        case .charter: .charter
        case .leaseRequest: .leaseRequest
        case .lease: .lease
        case .leaseRefused: .leaseRefused
        case .notCoordinator: .notCoordinator
        case .progress: .progress
        case .handOver: .handOver
        case .acceptLoss: .acceptLoss
        case .waiting: .waiting
        case .served: .served
        case .channelLost: .channelLost
        case .tokenRefused: .tokenRefused
        }
    }

    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem) {
        switch kind {
        case .charter:
            self = .charter(try reader.nested { (reader) throws(MeshProblem) in try Charter(&reader) })
        case .leaseRequest:
            self = .leaseRequest(
                request: try reader.long(), try Member(&reader), wallMilliseconds: try reader.signed())
        case .lease:
            self = .lease(
                request: try reader.long(), term: try reader.long(), milliseconds: try reader.word(),
                index: try reader.long())
        case .leaseRefused:
            self = .leaseRefused(request: try reader.long(), term: try reader.long(), try reader.choice())
        case .notCoordinator:
            self = .notCoordinator(request: try reader.long(), coordinator: try reader.nodeID())
        case .progress: self = .progress(try Progress(&reader))
        case .handOver:
            self = .handOver(term: try reader.long(), try Progress.shards(&reader))
        case .acceptLoss:
            self = .acceptLoss(term: try reader.long(), try Progress.shards(&reader))
        case .waiting: self = .waiting(try Progress.shards(&reader))
        case .served: self = .served(try Progress.shards(&reader))
        case .channelLost: self = .channelLost(name: try reader.longString(limit: Key.bytesMax))
        case .tokenRefused:
            self = .tokenRefused(
                kind: try reader.byte(), app: try reader.text(limit: Key.appBytesMax),
                address: try reader.longString(limit: CoordinationMessage.addressBytesMax), fault: try reader.byte())
        default: return nil
        }
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .charter(let charter): sink.nested({ charter.write(to: &$0) }, { charter.write(to: &$0) })
        case .leaseRequest(let request, let member, let wallMilliseconds):
            sink.long(request)
            member.write(to: &sink)
            sink.signed(wallMilliseconds)
        case .lease(let request, let term, let milliseconds, let index):
            sink.long(request)
            sink.long(term)
            sink.word(milliseconds)
            sink.long(index)
        case .leaseRefused(let request, let term, let refusal):
            sink.long(request)
            sink.long(term)
            sink.byte(refusal.rawValue)
        case .notCoordinator(let request, let coordinator):
            sink.long(request)
            sink.nodeID(coordinator)
        case .progress(let progress): progress.write(to: &sink)
        case .handOver(let term, let shards), .acceptLoss(let term, let shards):
            sink.long(term)
            sink.list(shards) { Progress.write($0, to: &$1) }
        case .waiting(let shards), .served(let shards): sink.list(shards) { Progress.write($0, to: &$1) }
        case .channelLost(let name): sink.longString(name)
        case .tokenRefused(let kind, let app, let address, let fault):
            sink.byte(kind)
            sink.text(app)
            sink.longString(address)
            sink.byte(fault)
        }
    }
}
