public import Wire

/// What the commands of the coordinator's log have built: members, placement, catalogue. The same on every node that
/// has applied the same entries.
public struct ClusterState: Hashable, Sendable {
    /// Most members at a time.
    public static let membersMax = 1024
    /// Most removed members that are remembered; the earliest are forgotten first.
    public static let removedMax = 1024
    /// Most rows of the catalogue.
    public static let channelsMax = 200_000
    /// Version of the stored form.
    static let layoutVersion: UInt8 = 1

    /// Everybody who was ever admitted, removed ones among them.
    public private(set) var members: [NodeID: AdmittedMember] = [:]
    /// Who has which shard.
    public private(set) var placement = Placement()
    /// The rows of the catalogue, by the bytes of their key.
    public private(set) var channels: [[UInt8]: [UInt8]] = [:]
    /// The number of the next member.
    public private(set) var nextNumber: UInt16 = 1

    /// The state before the first command.
    public init() {}

    /// The members that were not removed, by their number.
    public var present: [AdmittedMember] {
        members.values.filter { !$0.isRemoved }.sorted { $0.number < $1.number }
    }

    /// The member of that name that was not removed.
    public func member(named name: String) -> AdmittedMember? {
        present.first { $0.member.name == name }
    }

    // MARK: Commands

    /// Carries out the commands of one log entry. Bytes that are none, and commands that do not fit, change nothing: on
    /// every node alike.
    public mutating func apply(_ payload: [UInt8]) -> [ClusterChange] {
        var changes: [ClusterChange] = []
        for command in ClusterCommand.decode(payload) ?? [] { apply(command, into: &changes) }
        return changes
    }

    private mutating func apply(_ command: ClusterCommand, into changes: inout [ClusterChange]) {
        switch command {
        case .admit(let member): admit(member, into: &changes)
        case .remove(let node): remove(node, into: &changes)
        case .generation(let node, let generation): begin(generation, of: node, into: &changes)
        case .describe(let member): describe(member, into: &changes)
        case .place(let list): place(list, into: &changes)
        case .confirm(let list):
            let confirmed = list.filter { placement.confirm($0.shard, epoch: $0.epoch) }.map(\.shard)
            if !confirmed.isEmpty { changes.append(.confirmed(shards: confirmed)) }
        case .channel(let key, let value): setChannel(key, value, into: &changes)
        }
    }

    private mutating func admit(_ member: Member, into changes: inout [ClusterChange]) {
        guard members[member.id] == nil, nextNumber < UInt16.max, present.count < Self.membersMax,
            self.member(named: member.name) == nil
        else { return }
        members[member.id] = AdmittedMember(
            number: nextNumber, generation: member.incarnation.generation, member: member)
        nextNumber += 1
        changes.append(.admitted(member.id))
    }

    private mutating func remove(_ node: NodeID, into changes: inout [ClusterChange]) {
        guard members[node].map({ !$0.isRemoved }) ?? false else { return }
        members[node]?.isRemoved = true
        let removed = members.filter { $0.value.isRemoved }
        if removed.count > Self.removedMax, let first = removed.min(by: { $0.value.number < $1.value.number })?.key {
            members[first] = nil
        }
        changes.append(.removed(node))
    }

    private mutating func begin(_ generation: UInt64, of node: NodeID, into changes: inout [ClusterChange]) {
        guard let member = members[node], !member.isRemoved, generation > member.generation else { return }
        members[node]?.generation = generation
        changes.append(.generation(node, generation))
        let shards = placement.restart(owner: node)
        if !shards.isEmpty { changes.append(.placed(shards: shards)) }
    }

    private mutating func describe(_ member: Member, into changes: inout [ClusterChange]) {
        guard let known = members[member.id], !known.isRemoved, known.member.describesOtherwise(than: member),
            known.member.name == member.name || self.member(named: member.name) == nil
        else { return }
        members[member.id]?.member = member
        changes.append(.described(member.id))
    }

    private mutating func place(_ list: [PlacedShard], into changes: inout [ClusterChange]) {
        let placed = list.filter { item in
            item.entry.replicas.allSatisfy { members[$0].map { !$0.isRemoved } ?? false || isHeld(item.shard, by: $0) }
                && placement.place(item.shard, item.entry)
        }
        if !placed.isEmpty { changes.append(.placed(shards: placed.map(\.shard))) }
    }

    /// Whether a node, removed or not, is a replica of the shard already: it may stay one until it is replaced.
    private func isHeld(_ shard: UInt16, by node: NodeID) -> Bool {
        placement[shard].replicas.contains(node)
    }

    private mutating func setChannel(_ key: [UInt8], _ value: [UInt8]?, into changes: inout [ClusterChange]) {
        guard value == nil || channels[key] != nil || channels.count < Self.channelsMax, channels[key] != value else {
            return
        }
        channels[key] = value
        changes.append(.channel(key: key, value: value))
    }

    // MARK: Snapshots

    /// The whole state as bytes; equal states give equal bytes.
    public func encode() -> [UInt8] {
        var row = RowWriter(capacity: 128 << 10)
        row.byte(Self.layoutVersion)
        row.short(nextNumber)
        let sorted = members.values.sorted { $0.number < $1.number }
        row.short(UInt16(sorted.count))
        for member in sorted { member.write(into: &row) }
        placement.write(into: &row)
        row.word(UInt32(channels.count))
        for (key, value) in channels.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            row.string(key)
            row.string(value)
        }
        return row.bytes
    }

    /// Reads what `encode` gave; nil when the bytes are none.
    public init?(bytes: [UInt8]) {
        var row = RowReader(bytes)
        guard row.byte() == Self.layoutVersion, let nextNumber = row.short(), let count = row.short().map(Int.init),
            count <= Self.membersMax + Self.removedMax + 1
        else { return nil }
        self.nextNumber = nextNumber
        for _ in 0..<count {
            guard let member = AdmittedMember(from: &row), member.number < nextNumber,
                members.updateValue(member, forKey: member.member.id) == nil
            else { return nil }
        }
        guard let placement = Placement(from: &row), let channelCount = row.word(), channelCount <= Self.channelsMax
        else { return nil }
        self.placement = placement
        for _ in 0..<channelCount {
            guard let key = row.string(limit: ClusterCommand.keyBytesMax),
                let value = row.string(limit: ClusterCommand.valueBytesMax)
            else { return nil }
            channels[key] = value
        }
        guard row.isAtEnd else { return nil }
    }
}

/// What an entry of the log has changed.
public enum ClusterChange: Hashable, Sendable {
    /// A new member.
    case admitted(NodeID)
    /// A member is gone for good.
    case removed(NodeID)
    /// A member's attributes changed.
    case described(NodeID)
    /// A member runs in a new generation.
    case generation(NodeID, UInt64)
    /// Entries of the placement changed.
    case placed(shards: [UInt16])
    /// Entries have no `former` any more.
    case confirmed(shards: [UInt16])
    /// A row of the catalogue; nil: deleted.
    case channel(key: [UInt8], value: [UInt8]?)
}
