/// Collects data messages for one peer into one frame.
///
/// Keeps its memory from frame to frame; each message is counted, then written once into the frame.
public struct DataFrameWriter: Sendable {
    /// A frame with so many bytes is full: it is encrypted at one go while others wait. A single message may be larger.
    public static let bytesWanted = 131_072

    /// What became of a message.
    public enum AppendResult: Sendable, Equatable {
        /// It is in the frame.
        case taken
        /// The frame has messages and no room for this one: send it, `reset`, append again.
        case full
        /// It is larger than any frame.
        case tooLarge
    }

    /// The frame as it is now.
    public private(set) var bytes: [UInt8] = []
    /// Messages in it.
    public private(set) var messageCount = 0

    /// Begins a frame.
    public init(_ header: MeshHeader) { reset(header) }

    /// Whether there is nothing to be sent.
    public var isEmpty: Bool { messageCount == 0 }

    /// Begins the next frame in the same memory.
    public mutating func reset(_ header: MeshHeader) {
        bytes.removeAll(keepingCapacity: true)
        messageCount = 0
        grow(MeshHeader.encodedByteCount) { header.write(to: &$0) }
    }

    /// Adds a message.
    public mutating func append(_ message: DataMessage) -> AppendResult {
        var body = ByteCount()
        message.write(to: &body)
        let size = MeshFrame.messageHeadBytes + body.count
        guard MeshHeader.encodedByteCount + size <= MeshFrame.bytesMax else { return .tooLarge }
        guard isEmpty || bytes.count + size <= Self.bytesWanted, messageCount < MeshFrame.messagesMax else {
            return .full
        }
        grow(size) { MeshFrame.write(message, bodyBytes: body.count, to: &$0) }
        messageCount += 1
        return .taken
    }

    private mutating func grow(_ size: Int, _ write: (inout ByteWriter) -> Void) {
        bytes.append(addingCapacity: size) { (span: inout OutputSpan<UInt8>) in
            span.withUnsafeMutableBufferPointer { memory, count in
                var writer = ByteWriter(
                    UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[count..<count + size])))
                write(&writer)
                count += writer.count
            }
        }
    }
}
