import Codes

/// `batch`: many publishes and registrations in one message. Each is answered by itself with its own `seq`, as if it
/// had come alone; the batch has no answer of its own unless it cannot be read.
///
/// Frames: tag, the batch's header, and for each item its header, followed by the payload where it is a `publish`.
public struct Batch: Hashable, Sendable {
    /// One request of a batch, or why it cannot be read.
    public typealias Item = Result<ProducerMessage, WireFault>

    /// The number of the batch, for the refusal of one that cannot be read.
    public var sequence: Int64
    /// The requests in their order: `publish`, `register` and `unregister`.
    public var items: [Item]

    /// Makes a batch.
    public init(sequence: Int64, items: [ProducerMessage]) {
        self.sequence = sequence
        self.items = items.map { .success($0) }
    }

    init(_ header: inout HeaderReader, _ frames: [[UInt8]]) throws(WireFault) {
        sequence = try header.requireSequence()
        let count = Int(try header.require("items", in: 1...Int64(ProducerProtocol.batchItemsMax)))
        items = []
        var next = 2
        while items.count < count {
            guard next < frames.count else {
                throw WireFault(.malformed, "\(items.count) of \(count) items", sequence: sequence)
            }
            items.append(try Self.item(frames, &next, sequence))
        }
        guard next == frames.count else {
            throw WireFault(.malformed, "\(frames.count - next) frames too many", sequence: sequence)
        }
    }

    private static func item(
        _ frames: [[UInt8]], _ next: inout Int, _ sequence: Int64
    ) throws(WireFault) -> Item {
        // Without the command nobody can tell where the next item begins: then the whole batch is refused.
        var header = try HeaderReader.open(
            [ProducerProtocol.tag, frames[next]], headerBytesMax: ProducerProtocol.requestHeaderBytesMax)
        guard let command = try header.name("command", limit: 32) else {
            throw WireFault(.badField, "an item without command", field: "command", sequence: sequence)
        }
        let hasPayload = command.elementsEqual("publish".utf8)
        guard hasPayload || command.elementsEqual("register".utf8) || command.elementsEqual("unregister".utf8) else {
            throw WireFault(
                .badField, "a batch holds publish, register and unregister", field: "command", sequence: sequence)
        }
        let end = next + (hasPayload ? 2 : 1)
        guard end <= frames.count else {
            throw WireFault(.malformed, "the last publish has no payload frame", sequence: sequence)
        }
        defer { next = end }
        return ProducerMessage.decode([ProducerProtocol.tag] + frames[next..<end])
    }

    func header() -> [UInt8] {
        var header = HeaderWriter(command: "batch")
        header.integer("seq", sequence)
        header.integer("items", Int64(items.count))
        header.finish()
        return header.bytes
    }

    /// The frames of the items that can be written: all that this side made.
    var itemFrames: [[UInt8]] {
        var frames: [[UInt8]] = []
        for case .success(let message) in items { frames += message.frames().dropFirst() }
        return frames
    }
}
