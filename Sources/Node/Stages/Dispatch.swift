internal import APNs
internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import Loops
internal import Telemetry

/// Dispatch: what Admit released goes to the lanes of the APNs loops; what channels need is asked of APNs' management
/// host.
extension CoreLoop {
    /// Collects one offer; the turn's offers leave together.
    func offer(_ item: PushItem, _ destinations: [Destination]) {
        for destination in destinations { offers.append(LaneOffer(item: item, destination: destination)) }
    }

    /// Hands the turn's offers over. What does not fit comes back as `stale`, so that the core offers it again.
    func dispatch(now: Moment) {
        guard !offers.isEmpty else { return }
        let turnedAway = apns.offer(offers)
        offers.removeAll(keepingCapacity: true)
        guard !turnedAway.isEmpty else { return }
        counters.dispatchFull += UInt64(turnedAway.count)
        reports.post(
            turnedAway.map {
                LaneReport(
                    destination: $0.destination, ticket: $0.item.ticket, sequence: $0.item.sequence, outcome: .stale)
            })
    }

    /// Lets the lanes forget shards that are served elsewhere. A loop that could not be told is told again next turn.
    func withdraw(_ tickets: [UInt64], now: Moment) {
        withdrawn += tickets
        guard !withdrawn.isEmpty else { return }
        // What was offered before is meant as well.
        dispatch(now: now)
        if apns.withdraw(tickets: withdrawn) { withdrawn = [] } else { counters.withdrawalsRepeated += 1 }
    }

    /// Asks APNs about a channel, off this thread; the answer comes back through a mailbox.
    func manage(_ intent: UInt64, _ app: UInt16, _ operation: Cluster.ChannelOperation) {
        let (apns, answers) = (apns, channelAnswers)
        Task.detached {
            let answer: Cluster.ChannelAnswer
            do throws(Fault) {
                answer = Cluster.ChannelAnswer(try await apns.manage(.init(operation), app: app))
            } catch {
                answer = Cluster.ChannelAnswer(error)
            }
            answers.post(ChannelResult(intent: intent, answer: answer))
        }
    }

    /// Gives the core what APNs said about channels.
    func takeChannelAnswers(now: Moment) {
        channelAnswers.take(into: &channelBatch)
        for result in channelBatch {
            core.handle(
                .channel(.answered(intent: result.intent, answer: result.answer)), now: now, into: &effects)
        }
    }
}

/// What APNs said to a `manage` effect.
struct ChannelResult: Sendable {
    let intent: UInt64
    let answer: Cluster.ChannelAnswer
}

extension APNs.ChannelOperation {
    init(_ operation: Cluster.ChannelOperation) {
        switch operation {
        case .create(let policy): self = .create(policy == .mostRecent ? .mostRecent : .none)
        case .read(let channelID): self = .read(channelID: String(decoding: channelID, as: UTF8.self))
        case .delete(let channelID): self = .delete(channelID: String(decoding: channelID, as: UTF8.self))
        case .list: self = .list
        }
    }
}

extension Cluster.ChannelAnswer {
    init(_ answer: APNs.ChannelAnswer) {
        switch answer {
        case .created(let channelID): self = .created(channelID: Array(channelID.utf8))
        case .policy(let policy): self = .policy(policy == .mostRecent ? .mostRecent : .none)
        case .deleted: self = .deleted
        case .channels(let channelIDs): self = .listed(channelIDs.map { Array($0.utf8) })
        }
    }

    /// What a fault of the management session means for an operation that is not idempotent.
    init(_ fault: Fault) {
        switch fault.code {
        case .apnsAnswerLost: self = .lost
        case .apnsRefused, .apnsAnswerUnreadable, .providerTokenRefused: self = .refused(reason: fault.detail)
        default: self = .unavailable(reason: fault.detail.isEmpty ? fault.code.slug : fault.detail)
        }
    }
}
