import Wire

/// A shard with its entry: a piece of the placement, or of a change of it.
public struct PlacedShard: Hashable, Sendable {
    /// 0…4096; 4096 is the registry.
    public var shard: UInt16
    /// Who has it.
    public var entry: ShardEntry

    /// Makes a pair.
    public init(shard: UInt16, entry: ShardEntry) {
        self.shard = shard
        self.entry = entry
    }

    /// Most members that one list may name.
    static let membersMax = 4096

    /// The members that the list names, sorted, then its entries with members by their place in that order.
    static func write(_ list: [PlacedShard], into row: inout RowWriter) {
        var named: Set<NodeID> = []
        for item in list {
            for members in [item.entry.replicas, item.entry.learners, item.entry.former] { named.formUnion(members) }
        }
        let members = named.sorted()
        let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, UInt16($0)) })
        row.short(UInt16(members.count))
        for member in members {
            row.long(member.high)
            row.long(member.low)
        }
        row.short(UInt16(list.count))
        for item in list {
            row.short(item.shard)
            row.long(item.entry.epoch)
            for members in [item.entry.replicas, item.entry.learners, item.entry.former] {
                row.short(UInt16(members.count))
                for member in members { row.short(places[member] ?? 0) }
            }
        }
    }

    /// Reads a list: shards in strictly ascending order, members distinct; nil otherwise.
    static func read(from row: inout RowReader) -> [PlacedShard]? {
        guard let memberCount = row.short().map(Int.init), memberCount <= membersMax else { return nil }
        var members: [NodeID] = []
        for _ in 0..<memberCount {
            guard let high = row.long(), let low = row.long() else { return nil }
            members.append(NodeID(high: high, low: low))
        }
        guard let count = row.short().map(Int.init), count <= Placement.entryCount else { return nil }
        var list: [PlacedShard] = []
        for _ in 0..<count {
            guard let shard = row.short(), Int(shard) < Placement.entryCount,
                list.last.map({ $0.shard < shard }) ?? true,
                let entry = ShardEntry(from: &row, members: members)
            else { return nil }
            list.append(PlacedShard(shard: shard, entry: entry))
        }
        return list
    }
}

extension ShardEntry {
    /// Reads an entry whose members are numbers of places in `members`.
    fileprivate init?(from row: inout RowReader, members: [NodeID]) {
        func list(limit: Int) -> [NodeID]? {
            guard let count = row.short().map(Int.init), count <= limit else { return nil }
            var list: [NodeID] = []
            for _ in 0..<count {
                guard let place = row.short().map(Int.init), place < members.count else { return nil }
                list.append(members[place])
            }
            return Set(list).count == count ? list : nil
        }
        guard let epoch = row.long(), let replicas = list(limit: Placement.replicasMax),
            let learners = list(limit: PlacedShard.membersMax), let former = list(limit: Placement.replicasMax)
        else { return nil }
        self.init(epoch: epoch, replicas: replicas, learners: learners, former: former)
    }
}
