extension Forward: MeshCoded {
    /// Longest name of a caller in bytes.
    public static let userBytesMax = 255
    /// Most frames of a request or answer.
    public static let framesMax = ProducerProtocol.batchFramesMax
    /// Longest frame in bytes.
    public static let frameBytesMax = ProducerProtocol.documentBytesMax

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            request: try reader.long(), hops: try reader.byte(), user: try reader.string(limit: Self.userBytesMax),
            session: try reader.long(), frames: try reader.frames())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.long(request)
        sink.byte(hops)
        sink.string(user)
        sink.long(session)
        sink.list(frames) { $1.longString($0) }
    }
}

extension Forwarded: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            request: try reader.long(), session: try reader.long(), isAnswer: try reader.flag(),
            frames: try reader.frames())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.long(request)
        sink.long(session)
        sink.flag(isAnswer)
        sink.list(frames) { $1.longString($0) }
    }
}

extension MeshReader {
    fileprivate mutating func frames() throws(MeshProblem) -> [[UInt8]] {
        try list(limit: Forward.framesMax, smallest: 4) { (reader) throws(MeshProblem) in
            try reader.longString(limit: Forward.frameBytesMax)
        }
    }
}
