internal import Cluster
internal import Delivery
internal import Wire

/// The documents that admins may ask for.
extension CoreLoop {
    /// Writes the document that a query is about.
    func document(_ subject: DocumentQuery.Subject, now: Moment) -> [UInt8] {
        switch subject {
        case .status: statusDocument(now: now)
        case .shards(let target): shardsDocument(of: target)
        case .trace(let id): trace.document(of: id.bytes, node: nodeName)
        }
    }

    /// A node alone owns every shard.
    private func shardsDocument(of target: Target?) -> [UInt8] {
        let rows = (0...Shard.count).map {
            ShardsDocument.Row(shard: $0, epoch: 1, owner: nodeName, replicas: [nodeName], state: .active)
        }
        let document = ShardsDocument(node: nodeName, seedIsKnown: true, rows: rows)
        return document.bytes(keyShard: target.map { core.owner.shard(of: $0.name) })
    }
}
