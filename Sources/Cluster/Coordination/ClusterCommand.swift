public import Wire

/// A change of the cluster state: what the entries of the coordinator's log hold.
public enum ClusterCommand: Hashable, Sendable {
    /// A new member; it gets the next number. Nothing happens when it is known already.
    case admit(Member)
    /// A member goes for good.
    case remove(NodeID)
    /// A member runs in a new generation: the epochs of all shards that it owns grow.
    case generation(NodeID, UInt64)
    /// A member describes itself anew.
    case describe(Member)
    /// Entries of the placement; those whose epoch does not grow are left out.
    case place([PlacedShard])
    /// The owners serve these epochs: `former` is empty from now on.
    case confirm([Progress.ShardEpoch])
    /// A row of the catalogue of channels; nil deletes it.
    case channel(key: [UInt8], value: [UInt8]?)

    /// Version of the stored form.
    static let layoutVersion: UInt8 = 1
    /// Most commands in one log entry that are read.
    static let countMax = 8192
    /// Longest key of a channel row in bytes.
    public static let keyBytesMax = 2048
    /// Longest value of a channel row in bytes.
    public static let valueBytesMax = 4096

    private enum Tag: UInt8 {
        case admit = 1
        case remove = 2
        case generation = 3
        case describe = 4
        case place = 5
        case confirm = 6
        case channel = 7
    }

    /// The payload of one log entry that holds the commands in this order.
    public static func encode(_ commands: [ClusterCommand]) -> [UInt8] {
        var row = RowWriter(capacity: 256)
        row.byte(layoutVersion)
        row.short(UInt16(truncatingIfNeeded: commands.count))
        for command in commands { command.write(into: &row) }
        return row.bytes
    }

    /// Packs commands into as few entries as `LogEntry.bytesMax` allows, in order.
    ///
    /// A command that alone is longer cannot be made by a coordinator and is left out.
    public static func batches(_ commands: [ClusterCommand]) -> [[ClusterCommand]] {
        var batches: [[ClusterCommand]] = []
        var bytes = 0
        for command in commands {
            let size = encode([command]).count
            guard size <= LogEntry.bytesMax else { continue }
            if batches.isEmpty || bytes + size > LogEntry.bytesMax || batches[batches.count - 1].count == countMax {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(command)
            bytes += size
        }
        return batches
    }

    /// The commands of a payload; nil when the bytes are none.
    public static func decode(_ payload: [UInt8]) -> [ClusterCommand]? {
        var row = RowReader(payload)
        guard payload.count <= LogEntry.bytesMax, row.byte() == layoutVersion, let count = row.short().map(Int.init),
            count <= countMax
        else { return nil }
        var commands: [ClusterCommand] = []
        for _ in 0..<count {
            guard let command = ClusterCommand(from: &row) else { return nil }
            commands.append(command)
        }
        return row.isAtEnd ? commands : nil
    }

    private func write(into row: inout RowWriter) {
        switch self {
        case .admit(let member):
            row.byte(Tag.admit.rawValue)
            member.write(into: &row)
        case .remove(let node):
            row.byte(Tag.remove.rawValue)
            node.write(into: &row)
        case .generation(let node, let generation):
            row.byte(Tag.generation.rawValue)
            node.write(into: &row)
            row.long(generation)
        case .describe(let member):
            row.byte(Tag.describe.rawValue)
            member.write(into: &row)
        case .place(let list):
            row.byte(Tag.place.rawValue)
            PlacedShard.write(list, into: &row)
        case .confirm(let list):
            row.byte(Tag.confirm.rawValue)
            row.short(UInt16(list.count))
            for item in list {
                row.short(item.shard)
                row.long(item.epoch)
            }
        case .channel(let key, let value):
            row.byte(Tag.channel.rawValue)
            row.string(key)
            row.flag(value != nil)
            if let value { row.string(value) }
        }
    }

    private init?(from row: inout RowReader) {
        guard let tag = row.byte().flatMap(Tag.init(rawValue:)) else { return nil }
        switch tag {
        case .admit, .describe:
            guard let member = Member(from: &row) else { return nil }
            self = tag == .admit ? .admit(member) : .describe(member)
        case .remove:
            guard let node = NodeID(from: &row) else { return nil }
            self = .remove(node)
        case .generation:
            guard let node = NodeID(from: &row), let generation = row.long() else { return nil }
            self = .generation(node, generation)
        case .place:
            guard let list = PlacedShard.read(from: &row) else { return nil }
            self = .place(list)
        case .confirm:
            guard let list = Self.epochs(from: &row) else { return nil }
            self = .confirm(list)
        case .channel:
            guard let key = row.string(limit: Self.keyBytesMax), let hasValue = row.flag() else { return nil }
            guard hasValue else {
                self = .channel(key: key, value: nil)
                return
            }
            guard let value = row.string(limit: Self.valueBytesMax) else { return nil }
            self = .channel(key: key, value: value)
        }
    }

    private static func epochs(from row: inout RowReader) -> [Progress.ShardEpoch]? {
        guard let count = row.short().map(Int.init), count <= Placement.entryCount else { return nil }
        var list: [Progress.ShardEpoch] = []
        for _ in 0..<count {
            guard let shard = row.short(), let epoch = row.long() else { return nil }
            list.append(Progress.ShardEpoch(shard: shard, epoch: epoch))
        }
        return list
    }
}
