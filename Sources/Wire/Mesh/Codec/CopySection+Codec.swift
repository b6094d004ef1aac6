extension CopySection: MeshCoded {
    /// Most rows of a section.
    public static let rowsMax = 65_536
    /// Fewest bytes of a section.
    static let smallest = 2 + 3 * 16 + 4

    /// How many bytes the section takes in a frame.
    public var encodedByteCount: Int { byteCount }

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let shard = try reader.shard()
        let version = try ShardVersion(&reader)
        self.init(
            shard: shard, version: version, previous: try ShardVersion(&reader), purge: try ShardVersion(&reader),
            rows: try reader.rows(limit: Self.rowsMax, version: version))
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        version.write(to: &sink)
        previous.write(to: &sink)
        purge.write(to: &sink)
        sink.rows(rows, withVersions: false)
    }
}

extension CopyRefusal: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(shard: try reader.shard(), watermark: try ShardVersion(&reader), promised: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        watermark.write(to: &sink)
        sink.long(promised)
    }
}
