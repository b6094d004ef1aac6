import Delivery
import Wire

/// The rows of one shard, with the place in the shard's order up to which they are complete.
struct ShardTable: Sendable {
    /// Whether the table counts when a new owner reads.
    enum Validity: UInt8, Sendable {
        /// Rows of a transfer that is not complete.
        case invalid = 0
        /// Everything up to the watermark.
        case valid = 1
        /// Nothing was ever in it.
        case fresh = 2
        /// Rows of a disk that may have lost what it once had, promises among it.
        case distrusted = 3
    }

    /// What a row is found by.
    struct Name: Hashable, Sendable {
        var kind: UInt8
        var key: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            key.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    struct Row: Sendable {
        var name: Name
        /// Of the name; the same on every node.
        var nameHash: UInt64
        var version: ShardVersion
        /// nil is a tombstone.
        var value: [UInt8]?

        var hash: UInt64 { ShardTable.mix(nameHash ^ ShardTable.mix(ShardTable.mix(version.epoch) &+ version.count)) }
        var byteCount: Int { name.key.count + (value?.count ?? 0) + 32 }
        var travelling: ShardRow { ShardRow(kind: name.kind, key: name.key, version: version, value: value) }
    }

    private struct Tombstone: Sendable {
        var version: ShardVersion
        var name: Name
    }

    private var places: [Name: Int32] = [:]
    /// In no order that means anything, but the same for the same changes.
    private(set) var rows: [Row] = []
    /// By version; some may be no tombstones any more.
    private var tombstones = FIFO<Tombstone>()
    /// Rows without a value.
    private(set) var tombstoneCount = 0
    /// XOR of the hashes of all rows.
    private(set) var hash: UInt64 = 0
    /// About what the rows take as messages.
    private(set) var byteCount = 0
    /// Up to which change the rows are complete.
    var watermark = ShardVersion.zero
    /// What the watermark's epoch began on.
    var base = ShardVersion.zero
    /// Tombstones up to this change are forgotten.
    var purge = ShardVersion.zero
    var validity = Validity.fresh

    var isValid: Bool { validity == .valid }

    func row(_ name: Name) -> Row? { places[name].map { rows[Int($0)] } }

    /// Whether a table that is complete up to `version` lacks nothing but the rows above it.
    func extends(_ version: ShardVersion) -> Bool {
        guard version != .zero, version >= purge else { return version == watermark }
        return isPrefix(version)
    }

    /// Whether `version` is a change of this table's own order, as far as that is known.
    func isPrefix(_ version: ShardVersion) -> Bool {
        if version.epoch == watermark.epoch { return version.count <= watermark.count }
        return version.epoch == base.epoch && version.count <= base.count
    }

    mutating func put(_ name: Name, version: ShardVersion, value: [UInt8]?) {
        if let place = places[name] {
            let index = Int(place)
            forget(index)
            rows[index].version = version
            rows[index].value = value
            count(index)
        } else {
            places[name] = Int32(truncatingIfNeeded: rows.count)
            rows.append(Row(name: name, nameHash: Self.hash(name), version: version, value: value))
            count(rows.count - 1)
        }
        guard value == nil else { return }
        tombstones.append(Tombstone(version: version, name: name))
        if tombstones.count > 2 * tombstoneCount + 64 { rebuildTombstones() }
    }

    private mutating func forget(_ index: Int) {
        hash ^= rows[index].hash
        byteCount -= rows[index].byteCount
        if rows[index].value == nil { tombstoneCount -= 1 }
    }

    private mutating func count(_ index: Int) {
        hash ^= rows[index].hash
        byteCount += rows[index].byteCount
        if rows[index].value == nil { tombstoneCount += 1 }
    }

    mutating func remove(_ name: Name) {
        guard let place = places.removeValue(forKey: name) else { return }
        let index = Int(place)
        forget(index)
        let last = rows.removeLast()
        guard index < rows.count else { return }
        rows[index] = last
        places[last.name] = place
    }

    /// Forgets all rows and gives those that are not named. One mutation: with the rows read before it, all tables
    /// would be copied.
    mutating func removeAll(but kept: Set<Name>) -> [Row] {
        let removed = rows.filter { !kept.contains($0.name) }
        removeAll()
        return removed
    }

    mutating func removeAll() {
        let kept = (watermark, base, purge, validity)
        self = ShardTable()
        (watermark, base, purge, validity) = kept
    }

    /// Puts the tombstones in the order of their versions, after rows came in no order.
    mutating func rebuildTombstones() {
        let found = rows.filter { $0.value == nil }.map { Tombstone(version: $0.version, name: $0.name) }
        tombstones = FIFO()
        let sorted = found.sorted { ($0.version, $0.name) < ($1.version, $1.name) }
        for tombstone in sorted { tombstones.append(tombstone) }
    }

    /// Forgets the tombstones up to `version` and gives their names.
    mutating func drop(upTo version: ShardVersion) -> [Name] {
        var dropped: [Name] = []
        while let next = tombstones.first, next.version <= version {
            tombstones.removeFirst()
            guard let row = row(next.name), row.value == nil, row.version == next.version else { continue }
            remove(next.name)
            dropped.append(next.name)
        }
        return dropped
    }

    private static func hash(_ name: Name) -> UInt64 {
        var state = 0x9e37_79b9_7f4a_7c15 ^ UInt64(name.kind)
        for byte in name.key { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return mix(state)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}

extension ShardTable.Name: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        left.kind == right.kind ? left.key.lexicographicallyPrecedes(right.key) : left.kind < right.kind
    }
}
