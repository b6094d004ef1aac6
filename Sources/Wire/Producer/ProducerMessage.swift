import Codes

/// Everything that a producer or an admin may send to a node.
public enum ProducerMessage: Hashable, Sendable {
    /// Opens a session.
    case hello(Hello)
    /// An event.
    case publish(Publish)
    /// Many publishes and registrations, each answered by itself.
    case batch(Batch)
    /// Asks for the most recent message.
    case get(Get)
    /// Asks what became of an event.
    case status(StatusQuery)
    /// Adds a token to an activity.
    case register(Registration)
    /// Takes a token off an activity.
    case unregister(Registration)
    /// Asks for an activity's tokens and starts.
    case activity(ActivityQuery)
    /// Creates, deletes, lists or shows channels.
    case channel(ChannelRequest)
    /// Asks whether the node is there; the number is echoed.
    case ping(sequence: Int64)
    /// Closes the session; answered by `bye` once everything before it is answered.
    case bye(sequence: Int64)
    /// Admin: asks for a document about the node: its status, its shards, an event's way.
    case nodeStatus(DocumentQuery)
    /// Admin: accepts that what the missing copies of stuck shards had is lost.
    case recover(ShardRecovery)

    /// The request's sequence number.
    public var sequence: Int64 {
        switch self {
        case .hello(let message): message.sequence
        case .publish(let message): message.sequence
        case .batch(let message): message.sequence
        case .get(let message): message.sequence
        case .activity(let message): message.sequence
        case .status(let message): message.sequence
        case .register(let message), .unregister(let message): message.sequence
        case .channel(let message): message.sequence
        case .nodeStatus(let message): message.sequence
        case .recover(let message): message.sequence
        case .ping(let sequence), .bye(let sequence): sequence
        }
    }

    /// Whether only certificates with the role `admin` may send it.
    public var needsAdmin: Bool {
        switch self {
        case .nodeStatus, .recover: true
        default: false
        }
    }
}

extension ProducerMessage {
    /// Reads a message from its frames, the routing identity not among them. Total: any input gives a message or a
    /// fault.
    public static func decode(_ frames: [[UInt8]]) -> Result<ProducerMessage, WireFault> {
        do throws(WireFault) {
            return .success(try read(frames))
        } catch {
            return .failure(error)
        }
    }

    private static func read(_ frames: [[UInt8]]) throws(WireFault) -> ProducerMessage {
        var header = try HeaderReader.open(
            frames, headerBytesMax: ProducerProtocol.requestHeaderBytesMax,
            framesMax: ProducerProtocol.batchFramesMax)
        guard let command = try header.name("command", limit: 32) else {
            throw header.fault("command", "missing")
        }
        if command.elementsEqual("publish".utf8) { return .publish(try publish(&header, frames)) }
        if command.elementsEqual("batch".utf8) { return .batch(try Batch(&header, frames)) }
        guard frames.count <= ProducerProtocol.framesMax else {
            throw WireFault(.malformed, "\(frames.count) frames")
        }
        switch String(decoding: command, as: UTF8.self) {
        case "hello": return .hello(try Hello(&header))
        case "get": return .get(try Get(&header))
        case "status": return .status(try StatusQuery(&header))
        case "activity": return .activity(try ActivityQuery(&header))
        case "register": return .register(try Registration(&header))
        case "unregister": return .unregister(try Registration(&header))
        case "channel": return .channel(try ChannelRequest(&header))
        case "ping": return .ping(sequence: try header.requireSequence())
        case "bye": return .bye(sequence: try header.requireSequence())
        case "node-status": return .nodeStatus(try DocumentQuery(&header))
        case "shard-recover": return .recover(try ShardRecovery(&header))
        default: throw header.unknownCommand()
        }
    }

    private static func publish(_ header: inout HeaderReader, _ frames: [[UInt8]]) throws(WireFault) -> Publish {
        var message = try Publish(&header)
        guard frames.count == 3 else {
            throw WireFault(.malformed, "publish has no payload frame", sequence: message.sequence)
        }
        guard frames[2].count <= ProducerProtocol.payloadBytesMax else {
            throw WireFault(.tooLarge, "\(frames[2].count) bytes", sequence: message.sequence)
        }
        message.payload = frames[2]
        return message
    }

    /// The message's frames, as they follow the routing identity.
    public func frames() -> [[UInt8]] {
        let tag = ProducerProtocol.tag
        switch self {
        case .hello(let message): return [tag, message.header()]
        case .publish(let message): return [tag, message.header(), message.payload]
        case .batch(let message): return [tag, message.header()] + message.itemFrames
        case .get(let message): return [tag, message.header()]
        case .activity(let message): return [tag, message.header()]
        case .status(let message): return [tag, message.header()]
        case .register(let message): return [tag, Self.header("register", message)]
        case .unregister(let message): return [tag, Self.header("unregister", message)]
        case .channel(let message): return [tag, message.header()]
        case .ping(let sequence): return [tag, Self.bare("ping", sequence)]
        case .bye(let sequence): return [tag, Self.bare("bye", sequence)]
        case .nodeStatus(let message): return [tag, message.header()]
        case .recover(let message): return [tag, message.header()]
        }
    }

    private static func bare(_ command: StaticString, _ sequence: Int64) -> [UInt8] {
        var writer = HeaderWriter(command: command)
        writer.integer("seq", sequence)
        writer.finish()
        return writer.bytes
    }

    private static func header(_ command: StaticString, _ message: Registration) -> [UInt8] {
        var writer = HeaderWriter(command: command)
        message.write(&writer)
        writer.finish()
        return writer.bytes
    }
}
