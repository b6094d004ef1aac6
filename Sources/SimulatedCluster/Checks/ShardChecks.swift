internal import Wire

/// I11 and I13 on the wire: one owner per shard and epoch, and a version is one content for ever.
struct ShardChecks: Sendable {
    private struct Change: Hashable, Sendable {
        var shard: UInt16
        var version: ShardVersion
    }

    private struct RowPlace: Hashable, Sendable {
        var change: Change
        var kind: UInt8
        var key: [UInt8]
    }

    private struct Owner: Sendable {
        var epoch: UInt64 = 0
        var node = NodeID.none
    }

    private var owners = [Owner](repeating: Owner(), count: Int(Shard.count) + 1)
    private var changes: [Change: (node: NodeID, hash: UInt64)] = [:]
    private var rows: [RowPlace: UInt64] = [:]
    /// Shards whose owner changed, for the figures.
    private(set) var changesOfOwner = 0

    mutating func sent(_ message: ReplicationMessage, _ header: MeshHeader) -> Checks.Problem? {
        switch message {
        case .copies(_, let sections):
            for section in sections {
                if let problem = copied(section, header.sender) { return problem }
            }
        case .promise(let requests):
            for request in requests {
                if let problem = owns(request.shard, request.epoch, header.sender) { return problem }
            }
        case .rows(let piece):
            for row in piece.rows {
                if let problem = holds(row, piece.shard) { return problem }
            }
        case .copied, .promised, .rowsTaken, .rowsWanted, .digests: break
        }
        return nil
    }

    private mutating func owns(_ shard: UInt16, _ epoch: UInt64, _ node: NodeID) -> Checks.Problem? {
        guard Int(shard) < owners.count else { return nil }
        let known = owners[Int(shard)]
        if epoch == known.epoch, node != known.node {
            return (.oneOwnerPerEpoch, "shard \(shard) has two owners in epoch \(epoch)")
        }
        guard epoch > known.epoch else { return nil }
        if known.epoch > 0, known.node != node { changesOfOwner += 1 }
        owners[Int(shard)] = Owner(epoch: epoch, node: node)
        return nil
    }

    private mutating func copied(_ section: CopySection, _ sender: NodeID) -> Checks.Problem? {
        if let problem = owns(section.shard, section.version.epoch, sender) { return problem }
        var hash = TraceHash()
        for row in section.rows {
            hash.mix(UInt64(row.kind))
            hash.mix(row.key)
            hash.mix(row.value.map { UInt64($0.count) } ?? UInt64.max)
            if let value = row.value { hash.mix(value) }
        }
        // A row that a turn writes twice counts as it was written last.
        for (at, row) in section.rows.enumerated()
        where !section.rows[(at + 1)...].contains(where: { $0.kind == row.kind && $0.key == row.key }) {
            if let problem = holds(row, section.shard) { return problem }
        }
        let change = Change(shard: section.shard, version: section.version)
        guard let before = changes[change] else {
            changes[change] = (sender, hash.value)
            return nil
        }
        guard before.node == sender, before.hash == hash.value else {
            return (
                .versionsAreUnique,
                "version (\(section.version.epoch), \(section.version.count)) of shard \(section.shard)"
                    + " has two contents"
            )
        }
        return nil
    }

    private mutating func holds(_ row: ShardRow, _ shard: UInt16) -> Checks.Problem? {
        let place = RowPlace(
            change: Change(shard: shard, version: row.version), kind: row.kind, key: row.key)
        var hash = TraceHash()
        hash.mix(row.value == nil ? 0 : 1)
        if let value = row.value { hash.mix(value) }
        guard let before = rows.updateValue(hash.value, forKey: place), before != hash.value else { return nil }
        return (
            .versionsAreUnique,
            "a row of shard \(shard) has two contents at version (\(row.version.epoch), \(row.version.count))"
        )
    }
}
