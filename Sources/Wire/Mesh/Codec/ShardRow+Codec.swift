extension ShardRow {
    /// Longest key in bytes.
    public static let keyBytesMax = 65_535
    /// Longest value in bytes.
    public static let valueBytesMax = 1 << 20
}

extension ShardVersion: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(epoch: try reader.long(), count: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.long(epoch)
        sink.long(count)
    }
}

extension MeshReader {
    mutating func shard() throws(MeshProblem) -> UInt16 {
        let shard = try short()
        guard shard <= Shard.registry else { throw .outOfRange }
        return shard
    }

    /// Rows behind a four-byte count, all of `version` or each with its own.
    mutating func rows(limit: Int, version: ShardVersion?) throws(MeshProblem) -> [ShardRow] {
        let count = Int(try word())
        guard count <= limit else { throw .tooLong }
        guard count * (version == nil ? 20 : 4) <= remaining else { throw .short }
        var rows: [ShardRow] = []
        rows.reserveCapacity(count)
        for _ in 0..<count { rows.append(try row(version: version)) }
        return rows
    }

    private mutating func row(version: ShardVersion?) throws(MeshProblem) -> ShardRow {
        let kind = try byte()
        let hasValue = try flag()
        let key = try string(limit: ShardRow.keyBytesMax)
        var own = ShardVersion.zero
        if let version { own = version } else { own = try ShardVersion(&self) }
        let value = hasValue ? try longString(limit: ShardRow.valueBytesMax) : nil
        return ShardRow(kind: kind, key: key, version: own, value: value)
    }
}

extension MeshSink {
    mutating func rows(_ rows: [ShardRow], withVersions: Bool) {
        word(UInt32(truncatingIfNeeded: rows.count))
        for row in rows {
            byte(row.kind)
            flag(row.value != nil)
            string(row.key)
            if withVersions { row.version.write(to: &self) }
            if let value = row.value { longString(value) }
        }
    }
}
