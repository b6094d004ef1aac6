internal import Codes
internal import Wire

/// Events for a channel and an activity that have different owners: two publishes with one event ID, answered when both
/// are. When one half is refused the whole is; the other half may have been taken, and a repetition of the event is
/// then only told so. Bounded by the requests under way.
struct JointTable {
    private struct Joint {
        let request: PendingRequest
        var channel: NodeMessage?
        var activity: NodeMessage?
    }

    private var joints: [UInt64: Joint] = [:]
    private var last: UInt64 = 0

    mutating func add(_ request: PendingRequest) -> UInt64 {
        last &+= 1
        joints[last] = Joint(request: request)
        return last
    }

    /// Who waits for the whole.
    func caller(of joint: UInt64) -> Caller? { joints[joint]?.request.caller }

    /// Takes the answer to one half; both give the answer to the whole.
    mutating func answer(
        _ joint: UInt64, _ half: Caller.Half, _ message: NodeMessage
    ) -> (request: PendingRequest, answer: NodeMessage)? {
        switch half {
        case .channel: joints[joint]?.channel = message
        case .activity: joints[joint]?.activity = message
        }
        guard let found = joints[joint], let channel = found.channel, let activity = found.activity else { return nil }
        joints[joint] = nil
        return (found.request, Self.join(channel, activity))
    }

    private static func join(_ channel: NodeMessage, _ activity: NodeMessage) -> NodeMessage {
        switch (channel, activity) {
        case (.ack(var ack), .ack(let second)):
            ack.copies = min(ack.copies, second.copies)
            ack.activity = Ack.Half(
                instance: second.instance, epoch: second.epoch, version: second.version, repeated: second.repeated)
            return .ack(ack)
        case (.nack(let first), .nack(let second)):
            // What will never succeed is the better answer.
            return first.retryMilliseconds == nil ? refusal(first, "channel") : refusal(second, "activity")
        case (.nack(let first), _): return refusal(first, "channel")
        case (_, .nack(let second)): return refusal(second, "activity")
        default: return activity
        }
    }

    private static func refusal(_ nack: Nack, _ half: String) -> NodeMessage {
        var nack = nack
        if nack.field.isEmpty { nack.field = half }
        return .nack(nack)
    }
}
