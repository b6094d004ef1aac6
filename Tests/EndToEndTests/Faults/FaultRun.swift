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

/// One run: a cluster, devices, a load that never pauses, and everything that a scenario may do to it.
final class FaultRun {
    let plan: FaultPlan
    let scenario: FaultScenario
    let spaces: NetworkSpaces?
    let cluster: LocalCluster
    let control: SimulatorControl
    let ledger: FaultLedger
    let client: CarillonProducer
    let load: FaultLoad
    private(set) var channels: [String] = []
    private(set) var tokens: [String] = []
    private var receipts: Task<Void, Never>?

    init(_ scenario: FaultScenario, _ plan: FaultPlan) throws {
        (self.scenario, self.plan) = (scenario, plan)
        let spaces = scenario.needsSpaces ? try NetworkSpaces(nodes: scenario.nodes) : nil
        self.spaces = spaces
        do {
            cluster = try LocalCluster(try Self.options(scenario, spaces))
        } catch {
            spaces?.end()
            throw error
        }
        let ledger = FaultLedger(plan)
        self.ledger = ledger
        do {
            control = try cluster.startSimulator()
            try cluster.startNodes(cluster.nodes.prefix(scenario.firstNodes).map(\.name))
            let settings = try Self.settings(cluster)
            let connect = { try CarillonProducer(settings) { ledger.take($0) } }
            client = try spaces.map { try $0.atProducer(connect) } ?? connect()
        } catch {
            cluster.stop()
            cluster.remove()
            spaces?.end()
            throw error
        }
        load = FaultLoad(plan, ledger, client)
    }

    private static func options(_ scenario: FaultScenario, _ spaces: NetworkSpaces?) throws -> LocalCluster.Options {
        var options = LocalCluster.Options(program: try Binary.path())
        options.nodes = scenario.nodes
        options.voters = 3
        options.schemas = Trial.schema
        options.variables = ["CARILLON_SIMULATOR_ANSWER_DELAY_MS": "10", "CARILLON_LIMITS_CREDIT": "10000"]
        if let spaces {
            for number in 1...scenario.nodes { options.places["n\(number)"] = spaces.place(number) }
            options.simulatorPlace = spaces.place(NetworkSpaces.simulator)
        }
        return options
    }

    private static func settings(_ cluster: LocalCluster) throws(Fault) -> ProducerSettings {
        var settings = try cluster.clientSettings()
        settings.answerMilliseconds = 120_000
        settings.connectMilliseconds = 1000
        settings.queueCapacity = 400_000
        settings.receiptBatches = 100_000
        return settings
    }

    // MARK: Before

    /// Waits for the cluster, creates channels, registers tokens, puts devices on both.
    func prepare() async throws {
        try waitUntilHealthy(without: cluster.nodes.dropFirst(scenario.firstNodes).map(\.name))
        let stream = client.receipts
        let ledger = ledger
        receipts = Task.detached { for await batch in stream { ledger.take(batch) } }
        try await makeChannels()
        try await registerTokens()
    }

    private func makeChannels() async throws {
        let settings = try cluster.clientSettings(admin: true)
        let admin =
            try spaces.map { try $0.atProducer { try CarillonProducer(settings) } } ?? CarillonProducer(settings)
        for key in 0..<plan.channels {
            let request = ChannelRequest(action: .create, app: Trial.app, channel: plan.name(key), storage: .newest)
            let id = try await admin.channel(request).channels.first?.channelID ?? ""
            try control.addDevices(plan.devicesPerChannel, app: Trial.bundle, .channel(id), schema: "Score")
            channels.append(id)
        }
        await admin.close()
    }

    private func registerTokens() async throws {
        let count = plan.keys - plan.channels
        tokens = try control.addDevices(count, app: Trial.bundle, .activityTokens(), schema: "Score").tokens
        let (client, plan, tokens) = (client, plan, tokens)
        for first in stride(from: 0, to: count, by: 100) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in first..<min(first + 100, count) {
                    let target = Event.target(activity: plan.name(plan.channels + number))
                    let token = try #require(PushToken(tokens[number]))
                    group.addTask { try await client.register(Registration(target: target, token: token)) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Begins to publish, and waits until every key has been served once.
    func startLoad() throws {
        load.start()
        let isServed = eventually(within: 120_000, pause: 20) { ledger.accepted == plan.keys }
        try #require(isServed, "not every key is served at all")
    }

    // MARK: Questions

    /// Runs `carillon` where the producer is.
    func command(_ arguments: [String]) throws -> CommandRun {
        try CommandRun(
            arguments + ["--config", cluster.configuration], directory: cluster.directory,
            environment: cluster.variables, prefix: spaces?.place(NetworkSpaces.producer).prefix ?? [])
    }

    /// Who owns the first channel.
    func owner() throws -> String {
        let run = try command(["shards", "--key", plan.path(0), "-o", "json"])
        return try #require(run.json?["owner"]?.string, "\(run.errors)")
    }

    /// Who coordinates.
    func coordinator() throws -> String {
        let nodes = try command(["status", "-o", "json"]).json?["nodes"]?.array ?? []
        let names = nodes.compactMap { $0["status"]?["cluster"]?["coordinator"]?.string }
        return try #require(names.first)
    }

    func host(of name: String) -> Int { (cluster.nodes.firstIndex { $0.name == name } ?? 0) + 1 }

    func hosts(except name: String) -> [Int] { (1...cluster.nodes.count).filter { $0 != host(of: name) } }

    // MARK: Waiting

    /// Lets the trouble last; the time is what the scenario is about.
    func hold(milliseconds: Int64) { _ = eventually(within: milliseconds) { false } }

    /// Waits until APNs has taken an event of every key since the mark.
    func waitUntilServed() throws {
        let isServed = eventually(within: 90_000, pause: 20) { ledger.unserved == 0 }
        try #require(isServed, "\(ledger.unserved) keys are not served again after: \(scenario.rawValue)")
    }

    /// Waits until all nodes, but some, say that the cluster is whole.
    func waitUntilHealthy(without missing: [String] = []) throws {
        var reasons: [String] = []
        let isHealthy = try eventually(within: 120_000, pause: 250) {
            let status = try command(["status", "-o", "json"]).json
            guard let found = status?["reasons"]?.array?.compactMap(\.string) else { return false }
            reasons = found.filter { reason in
                !missing.contains { reason.contains($0) }
                    && !(missing.count > 0 && reason.contains("of \(cluster.nodes.count) nodes"))
            }
            return reasons.isEmpty
        }
        try #require(isHealthy, "not healthy after: \(scenario.rawValue): \(reasons)")
    }

    // MARK: After

    /// Ends the load and publishes the last event of every key.
    func settle() throws {
        load.stop()
        try #require(eventually(within: 130_000) { ledger.isSettled }, "unanswered events are left")
        try #require(load.close(), "the client takes no more")
        try #require(eventually(within: 130_000) { ledger.isSettled }, "the last events are not answered")
    }

    /// The ends of the nodes' logs, so that a failure can be understood.
    func showLogs() {
        print("faults: \(scenario.rawValue): \(ledger.summary); \(load.heldBack) held back")
        for node in cluster.nodes {
            for line in TextFile.read(node.log).split(separator: "\n").suffix(15) {
                print("\(node.name): \(line.prefix(300))")
            }
        }
    }

    /// Ends clients and processes.
    func end() async {
        load.stop()
        await client.close(flushMilliseconds: 0)
        receipts?.cancel()
        cluster.stop()
        cluster.remove()
        spaces?.end()
    }
}
