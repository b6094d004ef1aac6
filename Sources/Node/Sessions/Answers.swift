internal import Cluster
internal import Codes
internal import Wire

/// The core's answers in the words of the producer protocol (Docs/Protocol/Producer.md).
extension NodeMessage {
    init(_ reply: Reply, to request: PendingRequest) {
        let sequence = request.sequence
        switch reply {
        case .acknowledged(let ack): self = .ack(Ack(ack, sequence: sequence))
        case .acknowledgedBoth(let channel, let activity):
            var ack = Ack(channel, sequence: sequence)
            ack.activity = Ack.Half(
                instance: activity.instance, epoch: Int64(clamping: activity.version.epoch),
                version: Int64(clamping: activity.version.sequence), repeated: activity.isRepeated)
            self = .ack(ack)
        case .refused(let fault, let retry):
            self = .nack(
                Nack(
                    fault.code, sequence: sequence, detail: fault.detail, field: fault.place,
                    retryMilliseconds: retry))
        case .state(let state): self = Self.state(state, sequence)
        case .status(let status):
            guard let id = EventID(bytes: status.eventID) else {
                self = Self.gone(sequence)
                return
            }
            let report = EventReport(
                key: status.key, id: id, outcome: Outcome(status.outcome), reason: status.outcome.reason,
                counts: EventReport.Counts(status.tally))
            self = .outcome(sequence: sequence, report)
        case .registered(let changed, let instance, let tokens), .unregistered(let changed, let instance, let tokens):
            self = .registered(
                Registered(
                    sequence: sequence, instance: instance, tokens: UInt32(clamping: tokens), changed: changed))
        case .activity(let activity): self = .activity(ActivityReport(activity, sequence: sequence))
        case .channel, .channelDeleted, .channels: self = Self.channels(reply, to: request)
        case .lossAccepted: self = Self.gone(sequence)
        }
    }

    private static func state(_ state: StateAnswer, _ sequence: Int64) -> NodeMessage {
        let record = state.record
        guard let id = EventID(bytes: record.eventID) else { return gone(sequence) }
        return .state(
            Wire.RecordState(
                sequence: sequence, key: state.key, id: id, epoch: Int64(clamping: record.version.epoch),
                version: Int64(clamping: record.version.sequence), stampSeconds: record.stampSeconds,
                event: record.event, important: record.important, revision: record.revision,
                storedAtMilliseconds: record.stampSeconds * 1000, outcome: Outcome(state.outcome),
                payload: record.payload))
    }

    private static func gone(_ sequence: Int64) -> NodeMessage { .nack(Nack(.unknownKey, sequence: sequence)) }

    private static func channels(_ reply: Reply, to request: PendingRequest) -> NodeMessage {
        guard case .channel(let asked) = request.kind else { return gone(request.sequence) }
        var answer = ChannelsAnswer(sequence: request.sequence, action: asked.action, app: asked.app, channels: [])
        switch reply {
        case .channel(let summary, _): answer.channels = [ChannelDescription(summary)]
        case .channels(let all) where asked.action == .show:
            guard let found = all.first(where: { $0.name == asked.channel }) else {
                return .nack(Nack(.unknownChannel, sequence: request.sequence))
            }
            answer.channels = [ChannelDescription(found)]
        case .channels(let all):
            let limit = asked.limit ?? ProducerProtocol.channelsPerAnswerMax
            let rest = all.drop { $0.name <= asked.after && !asked.after.isEmpty }
            answer.channels = rest.prefix(limit).map { ChannelDescription($0) }
            answer.more = rest.count > limit
        default: break
        }
        return .channel(answer)
    }
}

extension Ack {
    init(_ ack: Acknowledgement, sequence: Int64) {
        self.init(
            sequence: sequence, instance: ack.instance, epoch: Int64(clamping: ack.version.epoch),
            version: Int64(clamping: ack.version.sequence), copies: ack.copies, repeated: ack.isRepeated)
    }
}

extension ChannelDescription {
    init(_ summary: ChannelSummary) {
        let state: State =
            switch summary.state {
            case .intended: .creating
            case .live: .active
            case .deleting: .deleting
            case .failed: .failed
            }
        self.init(
            channel: summary.name, state: state,
            channelID: String(decoding: summary.channelID ?? [], as: UTF8.self),
            storage: summary.policy == .mostRecent ? .newest : .none, instance: 1, createdAtMilliseconds: 0)
    }
}

extension Outcome {
    init(_ outcome: EventOutcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .deferred: self = .deferred
        case .apnsAccepted: self = .apnsAccepted
        case .superseded: self = .superseded
        case .expired: self = .expired
        case .failed: self = .failed
        case .unknown: self = .unknown
        }
    }
}

extension EventReport.Counts {
    init(_ tally: Tally) {
        self.init()
        destinations = tally.offered
        reached = tally.accepted
        superseded = tally.superseded
        expired = tally.expired
        failed = tally.failed
        gone = tally.gone
        unknown = tally.unknown
    }
}
