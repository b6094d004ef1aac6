internal import CarillonClient
internal import Codes
internal import Loops
internal import Telemetry
internal import Wire

/// Publishes the match for the channel and for the activity, and follows what becomes of each event.
///
/// Threads: `say` from the demo's; results and receipts arrive on the client's.
final class Commentary: Sendable {
    /// What is known of the events so far.
    struct Ledger {
        var published = 0
        var acknowledged = 0
        var refused: [String] = []
        /// Refused only because a newer event of the same key was accepted.
        var overtaken = 0
        var outcomes: [Outcome: Int] = [:]
        var ackNanoseconds = LatencyHistogram()
        var apnsNanoseconds = LatencyHistogram()
        /// The last acknowledged ball of channel and activity.
        var lastAcknowledged: [Key.Kind: Int] = [:]
        fileprivate var sentAt: [UInt64: Int64] = [:]
    }

    private let ledger: Lock<Ledger>
    private let client: CarillonProducer
    private let app: String
    let bundleID: String
    let channel: Target
    let activity: Target
    private static let name = "match/ipl-2024-final"

    init(_ cluster: DemoCluster) throws(Fault) {
        guard let channel = Target(app: cluster.app, kind: .channel, name: Self.name),
            let activity = Target(app: cluster.app, kind: .activity, name: Self.name)
        else { throw Fault(.internalTrouble) }
        (self.channel, self.activity) = (channel, activity)
        (app, bundleID) = (cluster.app, cluster.bundleID)
        let ledger = Lock(Ledger())
        self.ledger = ledger
        var settings = try cluster.producer()
        // Long enough to see a take-over through: an event is handed over again until somebody takes it.
        settings.answerMilliseconds = 30_000
        settings.connectMilliseconds = 1000
        client = try CarillonProducer(settings) { results in
            let now = Clock.monotonicNanoseconds()
            ledger.withLock { for result in results { $0.note(result, now) } }
        }
        let receipts = client.receipts
        Task.detached {
            for await batch in receipts {
                let now = Clock.monotonicNanoseconds()
                ledger.withLock { for report in batch { $0.note(report, now) } }
            }
        }
    }

    /// What is known so far.
    var state: Ledger { ledger.withLock { $0 } }

    // MARK: The control plane

    /// Makes the channel and returns its ID.
    func openChannel() async throws(Refusal) -> String {
        let answer = try await client.channel(
            ChannelRequest(
                sequence: 0, action: .create, app: app, channel: Self.name, storage: .newest))
        return answer.channels.first?.channelID ?? ""
    }

    /// Registers tokens of the activity.
    func register(_ tokens: [String]) async throws(Refusal) {
        for text in tokens {
            guard let token = PushToken(text) else { continue }
            try await client.register(Registration(sequence: 0, target: activity, token: token))
        }
    }

    /// What the node says of the last event of a key; waits up to five seconds for it to be final, because a phone
    /// shows a state before APNs' answer is back.
    func finalOutcome(_ target: Target, ball: Int) async throws(Refusal) -> Outcome {
        guard let id = EventID("ball-\(ball)") else { return .unknown }
        let deadline = Clock.bootMilliseconds() + 5000
        while true {
            let outcome = try await client.status(target, id: id).outcome
            if outcome.isFinal || Clock.bootMilliseconds() > deadline { return outcome }
            try? await Task.sleep(nanoseconds: 50_000_000)
        }
    }

    func close() async { await client.close() }

    // MARK: Events

    /// Publishes one event for both keys; false when the client has no room.
    func say(_ payload: [UInt8], ball: Int, important: Bool) -> Bool {
        guard let id = EventID("ball-\(ball)") else { return false }
        let now = Clock.monotonicNanoseconds()
        let events = [channel, activity].enumerated().map { index, target in
            (
                tag: UInt64(ball) << 1 | UInt64(index),
                event: Publish(
                    sequence: 0, target: target, id: id, payload: payload, important: important,
                    revision: Int64(ball), receipts: true)
            )
        }
        ledger.withLock { ledger in
            for event in events { ledger.sentAt[event.tag] = now }
            ledger.published += events.count
        }
        return client.submit(events)
    }
}

extension Commentary.Ledger {
    fileprivate mutating func note(_ result: PublishResult, _ now: Int64) {
        switch result.result {
        case .success:
            acknowledged += 1
            if let sent = sentAt[result.tag] { ackNanoseconds.record(now - sent) }
            let kind: Key.Kind = result.tag & 1 == 0 ? .channel : .activity
            lastAcknowledged[kind] = max(lastAcknowledged[kind] ?? 0, Int(result.tag >> 1))
        case .failure(let refusal) where refusal.fault.code == .superseded: overtaken += 1
        case .failure(let refusal): refused.append(refusal.description)
        }
    }

    fileprivate mutating func note(_ report: EventReport, _ now: Int64) {
        outcomes[report.outcome, default: 0] += 1
        guard report.outcome == .apnsAccepted, let ball = Int(report.id.description.dropFirst(5)) else { return }
        let tag = UInt64(ball) << 1 | (report.key.kind == .channel ? 0 : 1)
        if let sent = sentAt[tag] { apnsNanoseconds.record(now - sent) }
    }
}
