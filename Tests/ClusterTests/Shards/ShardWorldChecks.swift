import Cluster
import Wire

/// What must hold in the world of shards, whatever happens. The numbers are those of the invariants of the cluster's
/// simulation.
struct ShardWorldChecks {
    struct Place: Hashable {
        var shard: UInt16
        var version: ShardVersion
    }

    let shardCount: UInt16
    private(set) var problem: String?
    /// Nobody writes from then on.
    var quietFrom = Int64.max
    /// What each version of a shard was, by whoever made it.
    private var made: [Place: [[UInt8]: [UInt8]?]] = [:]
    /// The newest committed change of each key.
    private var newest: [UInt16: [[UInt8]: ShardWorldChange]] = [:]

    init(shardCount: UInt16) { self.shardCount = shardCount }

    mutating func broken(_ text: String) {
        if problem == nil { problem = text }
    }

    /// I13: a version is given once.
    mutating func made(_ writes: [ShardWrite], versions before: [ShardVersion]) {
        for shard in Set(writes.map(\.shard)).sorted() {
            let last = before[Int(shard)]
            let place = Place(shard: shard, version: ShardVersion(epoch: last.epoch, count: last.count + 1))
            var rows: [[UInt8]: [UInt8]?] = [:]
            for write in writes where write.shard == shard { rows[write.key] = .some(write.value) }
            if made[place] != nil { broken("I13: version \(place) was given twice") }
            made[place] = rows
        }
    }

    /// I13: what travels under a version is what was made under it.
    mutating func sent(_ message: ReplicationMessage) {
        switch message {
        case .copies(_, let sections):
            for section in sections where !section.rows.isEmpty {
                for row in section.rows { check(row, section.shard) }
            }
        case .rows(let piece):
            for row in piece.rows { check(row, piece.shard) }
        default:
            break
        }
    }

    private mutating func check(_ row: ShardRow, _ shard: UInt16) {
        guard let rows = made[Place(shard: shard, version: row.version)] else { return }
        guard rows[row.key] == .some(row.value) else {
            return broken("I13: row \(row.key) of shard \(shard) is not what version \(row.version) wrote")
        }
    }

    /// I14, the first half: what is committed is on W durable copies that count.
    mutating func committed(
        _ changes: [ShardWorldChange], _ shard: UInt16, nodes: [ShardWorldNode], entries: [ShardEntry]
    ) {
        for change in changes {
            guard let entry = entries.last(where: { $0.epoch == change.version.epoch }) else {
                return broken("version \(change.version) of an epoch that nobody placed")
            }
            let copies = entry.replicas.filter { id in
                nodes.contains { $0.id == id && Self.has(change, shard, $0) }
            }
            // A later change may have replaced it everywhere before it is reported.
            if copies.count < entry.copiesNeeded {
                broken("I14: \(change.version) of shard \(shard) is on \(copies.map(\.low)) and committed")
            }
            let known = newest[shard]?[change.key]
            if known == nil || known!.version < change.version { newest[shard, default: [:]][change.key] = change }
        }
    }

    private static func has(_ change: ShardWorldChange, _ shard: UInt16, _ node: ShardWorldNode) -> Bool {
        guard let row = node.durable(shard, kind: ShardWorld.kind, key: change.key) else {
            // A tombstone may be forgotten already.
            return change.value == nil
        }
        return row.version >= change.version
    }

    /// I14, the second half: a new owner has everything that was committed.
    mutating func activated(_ shard: UInt16, epoch: UInt64, by node: ShardWorldNode, entry: ShardEntry) {
        let rows = node.set.rows(of: shard)
        for (key, change) in newest[shard, default: [:]].sorted(by: { $0.key[0] < $1.key[0] }) {
            let row = rows.first { $0.key == key }
            // The owner of a higher epoch may have gone on meanwhile.
            guard change.version.epoch < epoch else { continue }
            let lost = "of shard \(shard), committed as \(change.version)"
            let who = "I14: owner \(node.id.low) of epoch \(epoch)"
            if let row {
                if row.version < change.version { broken("\(who) has \(row.version) of \(key) \(lost)") }
            } else if change.value != nil, !isDeleted(key, shard, after: change.version, in: node) {
                broken("\(who) lacks \(key) \(lost)")
            }
        }
        for row in rows { check(row, shard) }
    }

    /// Whether a later change deleted the key: its tombstone is there, or was forgotten.
    private func isDeleted(
        _ key: [UInt8], _ shard: UInt16, after version: ShardVersion, in node: ShardWorldNode
    ) -> Bool {
        if let tombstone = node.set.row(shard, kind: ShardWorld.kind, key: key) { return tombstone.version > version }
        return made.contains { place, rows in
            place.shard == shard && place.version > version && rows[key] == .some(nil)
        }
    }
}
