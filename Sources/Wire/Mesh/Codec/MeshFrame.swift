import Codes

/// The form of mesh frames: `CRM`, major, minor, the length of the header, the header, then messages, each a kind, the
/// length of its body and the body. Integers are big-endian.
///
/// A higher minor version may append fields to header, members and bodies, and kinds to data frames; they are skipped.
/// All decoders are total: any bytes give messages or a fault, and memory in proportion to the bytes.
public enum MeshFrame {
    /// Longest frame in bytes; sockets cut the connection of a peer that sends a longer one.
    public static let bytesMax = 4 << 20
    /// Most messages of a data frame.
    public static let messagesMax = 4096
    /// Bytes of a message before its body.
    static let messageHeadBytes = 5

    // MARK: Control plane

    /// The frame of one control message.
    public static func encode(_ message: ControlMessage, _ header: MeshHeader) -> [UInt8] {
        var body = ByteCount()
        message.write(to: &body)
        let size = MeshHeader.encodedByteCount + messageHeadBytes + body.count
        return [UInt8](unsafeUninitializedCapacity: size) { memory, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(memory))
            header.write(to: &writer)
            write(message, bodyBytes: body.count, to: &writer)
            count = writer.count
        }
    }

    /// Reads a frame of the control plane.
    public static func decodeControl(_ bytes: [UInt8]) -> Result<(MeshHeader, ControlMessage), WireFault> {
        bytes.withUnsafeBytes { bytes in
            do throws(WireFault) {
                var (header, reader) = try open(bytes)
                guard let message = try next(ControlMessage.self, &reader) else {
                    throw WireFault(.unknownCommand, "unknown kind")
                }
                guard reader.remaining == 0 || header.minor > MeshHeader.minor else {
                    throw MeshProblem.trailing.fault(in: "frame")
                }
                return .success((header, message))
            } catch {
                return .failure(error)
            }
        }
    }

    // MARK: Data plane

    /// Reads a frame of the data plane; see `DataFrameWriter`.
    public static func decodeData(_ bytes: [UInt8]) -> Result<(MeshHeader, [DataMessage]), WireFault> {
        bytes.withUnsafeBytes { bytes in
            do throws(WireFault) {
                var (header, reader) = try open(bytes)
                var messages: [DataMessage] = []
                while reader.remaining > 0 {
                    guard messages.count < messagesMax else {
                        throw WireFault(.tooLarge, "more than \(messagesMax) messages")
                    }
                    if let message = try next(DataMessage.self, &reader) {
                        messages.append(message)
                    } else if header.minor <= MeshHeader.minor {
                        throw WireFault(.unknownCommand, "unknown kind")
                    }
                }
                return .success((header, messages))
            } catch {
                return .failure(error)
            }
        }
    }

    // MARK: Parts

    private static func open(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> (MeshHeader, MeshReader) {
        guard bytes.count <= bytesMax else { throw WireFault(.tooLarge, "\(bytes.count) bytes") }
        return try MeshHeader.read(bytes)
    }

    /// Reads one message; nil when its kind is unknown or of the other plane.
    private static func next<Message: MeshMessage>(
        _: Message.Type, _ reader: inout MeshReader
    ) throws(WireFault) -> Message? {
        var kind: MeshKind?
        do throws(MeshProblem) {
            kind = MeshKind(rawValue: try reader.byte())
            let skipsRest = reader.skipsRest
            var body = MeshReader(try reader.raw(Int(try reader.word())), skipsRest: skipsRest)
            guard let kind, let message = try Message(kind, &body) else { return nil }
            try body.finish()
            return message
        } catch {
            throw error.fault(in: kind?.name ?? "frame")
        }
    }

    static func write<Message: MeshMessage, Sink: MeshSink>(_ message: Message, bodyBytes: Int, to sink: inout Sink) {
        sink.byte(message.kind.rawValue)
        sink.word(UInt32(truncatingIfNeeded: bodyBytes))
        message.write(to: &sink)
    }
}
