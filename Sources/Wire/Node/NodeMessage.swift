import Codes

/// Everything that a node may send to a producer or an admin.
public enum NodeMessage: Hashable, Sendable {
    /// The session is open.
    case ready(Ready)
    /// An event is accepted.
    case ack(Ack)
    /// A request is refused.
    case nack(Nack)
    /// What became of an event; best effort, without being asked.
    case receipt(EventReport)
    /// How many publishes may be unanswered from now on.
    case credit(Int)
    /// The most recent message of a key.
    case state(RecordState)
    /// What became of an event, as asked.
    case outcome(sequence: Int64, EventReport)
    /// A token was added or taken off.
    case registered(Registered)
    /// Who follows an activity, and its starts.
    case activity(ActivityReport)
    /// About channels.
    case channel(ChannelsAnswer)
    /// The node is there; its clock in milliseconds since 1970.
    case pong(sequence: Int64, nowMilliseconds: Int64)
    /// The node stops.
    case goAway(GoAway)
    /// The session is closed and everything before is answered.
    case bye(sequence: Int64)
    /// The document that was asked for, a JSON object in frame 2.
    case nodeStatus(sequence: Int64, document: [UInt8])

    /// The number of the request that this answers; nil for what comes unasked.
    public var sequence: Int64? {
        switch self {
        case .ready(let message): message.sequence
        case .ack(let message): message.sequence
        case .nack(let message): message.sequence
        case .receipt, .credit, .goAway: nil
        case .state(let message): message.sequence
        case .outcome(let sequence, _): sequence
        case .registered(let message): message.sequence
        case .activity(let message): message.sequence
        case .channel(let message): message.sequence
        case .pong(let sequence, _), .bye(let sequence), .nodeStatus(let sequence, _): sequence
        }
    }
}

extension NodeMessage {
    /// The message's frames, as they follow the routing identity.
    public func frames() -> [[UInt8]] {
        let tag = ProducerProtocol.tag
        switch self {
        case .state(let message): return [tag, message.header(), message.payload]
        case .nodeStatus(_, let document): return [tag, header(), document]
        default: return [tag, header()]
        }
    }

    /// Frame 1 alone; the other frames are `ProducerProtocol.tag` and a payload.
    public func header() -> [UInt8] {
        switch self {
        case .ready(let message): return message.header()
        case .ack(let message): return message.header()
        case .nack(let message): return message.header()
        case .state(let message): return message.header()
        case .registered(let message): return message.header()
        case .activity(let message): return message.header()
        case .channel(let message): return message.header()
        case .goAway(let message): return message.header()
        case .receipt(let outcome): return Self.header("receipt") { outcome.write(&$0) }
        case .credit(let credit): return Self.header("credit") { $0.integer("credit", Int64(credit)) }
        case .bye(let sequence): return Self.header("bye") { $0.integer("seq", sequence) }
        case .nodeStatus(let sequence, _): return Self.header("node-status") { $0.integer("seq", sequence) }
        case .outcome(let sequence, let outcome):
            return Self.header("outcome") {
                $0.integer("seq", sequence)
                outcome.write(&$0)
            }
        case .pong(let sequence, let now):
            return Self.header("pong") {
                $0.integer("seq", sequence)
                $0.integer("now_ms", now)
            }
        }
    }

    private static func header(_ command: StaticString, _ body: (inout HeaderWriter) -> Void) -> [UInt8] {
        var writer = HeaderWriter(command: command)
        body(&writer)
        writer.finish()
        return writer.bytes
    }
}

extension NodeMessage {
    /// Reads a message from its frames. Total: any input gives a message or a fault.
    public static func decode(_ frames: [[UInt8]]) -> Result<NodeMessage, WireFault> {
        do throws(WireFault) {
            return .success(try read(frames))
        } catch {
            return .failure(error)
        }
    }

    private static func read(_ frames: [[UInt8]]) throws(WireFault) -> NodeMessage {
        var header = try HeaderReader.open(frames, headerBytesMax: ProducerProtocol.answerHeaderBytesMax)
        guard let command = try header.name("command", limit: 32) else {
            throw header.fault("command", "missing")
        }
        if command.elementsEqual("ack".utf8) { return .ack(try Ack(&header)) }
        switch String(decoding: command, as: UTF8.self) {
        case "nack": return .nack(try Nack(&header))
        case "receipt": return .receipt(try EventReport(&header))
        case "credit": return .credit(Int(try header.require("credit", in: 0...Int64(ProducerProtocol.creditMax))))
        case "ready": return .ready(try Ready(&header))
        case "registered": return .registered(try Registered(&header))
        case "activity": return .activity(try ActivityReport(&header))
        case "channel": return .channel(try ChannelsAnswer(&header))
        case "goaway": return .goAway(try GoAway(&header))
        case "bye": return .bye(sequence: try header.requireSequence())
        case "outcome":
            let sequence = try header.requireSequence()
            return .outcome(sequence: sequence, try EventReport(&header))
        case "pong":
            let sequence = try header.requireSequence()
            return .pong(sequence: sequence, nowMilliseconds: try header.time("now_ms"))
        case "state":
            var state = try RecordState(&header)
            state.payload = try body(frames, ProducerProtocol.payloadBytesMax)
            return .state(state)
        case "node-status":
            let sequence = try header.requireSequence()
            return .nodeStatus(sequence: sequence, document: try body(frames, ProducerProtocol.documentBytesMax))
        default: throw header.unknownCommand()
        }
    }

    private static func body(_ frames: [[UInt8]], _ limit: Int) throws(WireFault) -> [UInt8] {
        guard frames.count == 3 else { throw WireFault(.malformed, "frame 2 is missing") }
        guard frames[2].count <= limit else { throw WireFault(.tooLarge, "\(frames[2].count) bytes") }
        return frames[2]
    }
}
