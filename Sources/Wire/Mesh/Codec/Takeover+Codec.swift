extension PromiseRequest: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(shard: try reader.shard(), epoch: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        sink.long(epoch)
    }
}

extension PromiseAnswer: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            shard: try reader.shard(), epoch: try reader.long(), watermark: try ShardVersion(&reader),
            isValid: try reader.flag())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        sink.long(epoch)
        watermark.write(to: &sink)
        sink.flag(isValid)
    }
}

extension RowsRequest: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(shard: try reader.shard(), epoch: try reader.long(), watermark: try ShardVersion(&reader))
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        sink.long(epoch)
        watermark.write(to: &sink)
    }
}

extension RowsPiece: MeshCoded {
    /// Most rows of a piece.
    public static let rowsMax = 65_536

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            shard: try reader.shard(), epoch: try reader.long(), from: try ShardVersion(&reader),
            to: try ShardVersion(&reader), base: try ShardVersion(&reader), isWhole: try reader.flag(),
            piece: try reader.word(), isLast: try reader.flag(), purge: try ShardVersion(&reader),
            rows: try reader.rows(limit: Self.rowsMax, version: nil))
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        sink.long(epoch)
        from.write(to: &sink)
        to.write(to: &sink)
        base.write(to: &sink)
        sink.flag(isWhole)
        sink.word(piece)
        sink.flag(isLast)
        purge.write(to: &sink)
        sink.rows(rows, withVersions: true)
    }
}

extension ShardDigest: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            shard: try reader.shard(), watermark: try ShardVersion(&reader), count: try reader.word(),
            hash: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.short(shard)
        watermark.write(to: &sink)
        sink.word(count)
        sink.long(hash)
    }
}
