import Wire

/// How a shard's rows and its state stand on disk.
enum StoredShard {
    /// Version of the layout of `.shardState` rows.
    private static let layoutVersion: UInt8 = 1
    /// Bytes in front of a row's value: epoch, count, whether there is a value.
    private static let headerBytes = 17

    /// The shard's number, big-endian, then the row's key.
    static func key(shard: UInt16, _ key: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.count + 2)
        bytes.append(UInt8(truncatingIfNeeded: shard >> 8))
        bytes.append(UInt8(truncatingIfNeeded: shard))
        bytes.append(contentsOf: key)
        return bytes
    }

    /// The version, whether there is a value, and the value.
    static func value(_ value: [UInt8]?, version: ShardVersion) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerBytes + (value?.count ?? 0))
        withUnsafeBytes(of: version.epoch.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: version.count.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(value == nil ? 0 : 1)
        if let value { bytes.append(contentsOf: value) }
        return bytes
    }

    /// The shard and the row's key; nil when the bytes are none.
    static func split(key: [UInt8]) -> (shard: UInt16, key: [UInt8])? {
        guard key.count >= 2 else { return nil }
        let shard = UInt16(key[0]) << 8 | UInt16(key[1])
        guard shard <= Shard.registry else { return nil }
        return (shard, Array(key[2...]))
    }

    /// The version and the value; nil when the bytes are none. A value of nil is a tombstone.
    static func split(value: [UInt8]) -> (version: ShardVersion, value: [UInt8]?)? {
        var reader = RowReader(value)
        guard let epoch = reader.long(), let count = reader.long(), let hasValue = reader.flag(),
            hasValue || reader.isAtEnd
        else { return nil }
        let version = ShardVersion(epoch: epoch, count: count)
        return (version, hasValue ? Array(value[headerBytes...]) : nil)
    }

    /// The value of a `.shardState` row.
    static func state(promised: UInt64, table: ShardTable) -> [UInt8] {
        var writer = RowWriter(capacity: 58)
        writer.byte(layoutVersion)
        writer.long(promised)
        for version in [table.watermark, table.base, table.purge] {
            writer.long(version.epoch)
            writer.long(version.count)
        }
        writer.byte(table.validity.rawValue)
        return writer.bytes
    }

    /// Reads a `.shardState` row into a table; nil when the bytes are none, else the promise.
    static func readState(_ bytes: [UInt8], into table: inout ShardTable) -> UInt64? {
        var reader = RowReader(bytes)
        guard reader.byte() == layoutVersion, let promised = reader.long(), let watermark = version(&reader),
            let base = version(&reader), let purge = version(&reader),
            let validity = reader.byte().flatMap(ShardTable.Validity.init(rawValue:)), reader.isAtEnd
        else { return nil }
        table.watermark = max(table.watermark, watermark)
        table.base = base
        table.purge = purge
        table.validity = validity
        return promised
    }

    private static func version(_ reader: inout RowReader) -> ShardVersion? {
        guard let epoch = reader.long(), let count = reader.long() else { return nil }
        return ShardVersion(epoch: epoch, count: count)
    }
}
