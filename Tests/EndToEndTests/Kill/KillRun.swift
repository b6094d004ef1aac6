import APNsSimulator
import CLinux
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import SimulatedAPNs
import Testing
import Wire

/// One run: sets up keys and devices, publishes without a pause, kills the node again and again, and lets everything
/// settle.
final class KillRun {
    let plan: KillPlan
    let seed: UInt64
    let trial: Trial
    let ledger: Ledger
    let client: CarillonProducer
    let admin: CarillonProducer
    let load: LoadThread
    var report = KillReport()
    private(set) var channels: [String] = []
    private(set) var tokens: [[String]] = []
    private var random: SplitMix64
    private var offline: [String] = []
    private var starts = 1
    private let began = Clock.bootMilliseconds()

    init(_ plan: KillPlan, seed: UInt64) throws {
        self.plan = plan
        self.seed = seed
        random = SplitMix64(seed: seed)
        trial = try Trial([
            "CARILLON_SIMULATOR_STAMP_READING": plan.stampReading, "CARILLON_SIMULATOR_ANSWER_DELAY_MS": "50",
            "CARILLON_BUDGET_CHANNEL_STORED_PER_SECOND": "10", "CARILLON_BUDGET_CHANNEL_STORED_BURST": "100",
            "CARILLON_LIMITS_CREDIT": "4000",
        ])
        let ledger = Ledger(keys: plan.keys)
        self.ledger = ledger
        do {
            client = try CarillonProducer(Self.settings(trial, admin: false)) { ledger.take($0) }
            admin = try CarillonProducer(Self.settings(trial, admin: true))
        } catch {
            trial.end()
            throw error
        }
        load = LoadThread(plan, ledger, client)
    }

    private static func settings(_ trial: Trial, admin: Bool) throws(Fault) -> ProducerSettings {
        var settings = try trial.cluster.clientSettings(admin: admin)
        settings.answerMilliseconds = admin ? 15_000 : 120_000
        return settings
    }

    // MARK: Before

    /// Creates channels, registers tokens, puts devices on both.
    func prepare() async throws {
        let (trial, admin, plan) = (trial, admin, plan)
        channels = [String](repeating: "", count: plan.channels)
        for first in stride(from: 0, to: plan.channels, by: 25) {
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for key in first..<min(first + 25, plan.channels) {
                    let request = ChannelRequest(
                        action: .create, app: Trial.app, channel: plan.name(key), storage: .newest)
                    group.addTask { (key, try await admin.channel(request).channels.first?.channelID ?? "") }
                }
                for try await (key, id) in group { channels[key] = id }
            }
        }
        for id in channels {
            try trial.control.addDevices(plan.devicesPerChannel, app: Trial.bundle, .channel(id), schema: "Score")
        }
        for activity in 0..<plan.activities {
            let added = try trial.control.addDevices(
                plan.tokensPerActivity, app: Trial.bundle, .activityTokens(), schema: "Score")
            tokens.append(added.tokens)
            for text in added.tokens {
                let token = try #require(PushToken(text))
                let target = Event.target(activity: plan.name(plan.channels + activity))
                try await client.register(Registration(target: target, token: token))
            }
        }
    }

    // MARK: Kills

    /// Kills the node once under load, at a moment that the seed chooses, starts it again and reads what it recovered.
    func killOnce(_ number: Int) async throws {
        let moment = KillMoment.random(&random)
        if !moment.isEarly {
            let enough = ledger.acks + 500
            try #require(eventually { ledger.acks >= enough }, "no acks before kill \(number)")
            await noteConflated()
        }
        try kill(at: moment)
        try changeDevices()
        try restart()
    }

    private func kill(at moment: KillMoment) throws {
        report.kills[moment, default: 0] += 1
        let steps = Int(random.next() % 200) + 1
        #expect(trial.cluster.nodeEnding() == nil, "the node ended by itself before a kill at \(moment)")
        let process = try #require(trial.cluster.nodeProcess)
        switch moment {
        case .ack, .firstAck:
            ledger.arm(after: moment == .ack ? steps : 1, process: process)
            try #require(eventually { ledger.hasSprung }, "no ack to kill at")
        case .lastAck:
            ledger.armForTheLast(process: process)
            try #require(eventually(within: 90_000) { ledger.hasSprung }, "unanswered events are left")
        case .write, .firstWrite:
            let enough = try accepted() + (moment == .write ? steps % 30 + 1 : 1)
            try #require(eventually { try accepted() >= enough }, "no request to kill at")
        case .recovery: break
        }
        trial.cluster.killNode()
    }

    private func accepted() throws -> Int { try trial.control.state(channelsMax: 0).counter("accepted") }

    private func restart() throws {
        ledger.nodeStarted(at: Clock.bootMilliseconds())
        try trial.cluster.startNode()
        starts += 1
        try #require(eventually { trial.log.count("recovered") == starts }, "start \(starts) has recovered nothing")
        let line = try #require(trial.log.lines("recovered").last)
        #expect(line["rows.unreadable"]?.integer == 0)
        report.recoveredUnsettled += Int(line["unsettled"]?.integer ?? 0)
        report.recoveredQuieted += Int(line["quieted"]?.integer ?? 0)
    }

    private func noteConflated() async {
        guard let status = try? await trial.status(admin) else { return }
        report.conflatedSeen += Int(status["stages"]?["admit"]?["conflated"]?.integer ?? 0)
    }

    /// While the node is away one device of some channel leaves the network, and the one that left three kills ago is
    /// back.
    private func changeDevices() throws {
        let id = channels[Int(random.next() % UInt64(channels.count))]
        try trial.control.setOnline(false, channel: id, count: 1)
        offline.append(id)
        if offline.count > 3 { try trial.control.setOnline(true, channel: offline.removeFirst()) }
    }

    // MARK: After

    /// Ends the load, and kills the node three times more: while the newest states leave, so that the last events meet
    /// records that may have been sent a moment ago; with the very last ack; and in the middle of what it then recovers.
    /// At the end every device is back.
    func settle() async throws {
        load.stop()
        try #require(eventually(within: 60_000) { ledger.isSettled }, "unanswered events are left")
        await noteConflated()
        try kill(at: .write)
        try #require(load.close(), "the client takes no more")
        try restart()
        try kill(at: .lastAck)
        let before = report.recoveredUnsettled
        try restart()
        // APNs answers after 50 ms: what was acknowledged last cannot be settled.
        #expect(report.recoveredUnsettled > before)
        try kill(at: .firstWrite)
        try restart()
        for id in offline { try trial.control.setOnline(true, channel: id) }
        offline = []
        report.seconds = Double(Clock.bootMilliseconds() - began) / 1000
    }

    /// Ends clients and processes.
    func end() async {
        load.stop()
        await client.close(flushMilliseconds: 0)
        await admin.close(flushMilliseconds: 0)
        trial.end()
    }
}
