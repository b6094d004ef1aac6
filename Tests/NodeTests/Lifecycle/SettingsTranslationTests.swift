import APNs
import Cluster
import Configuration
import Delivery
import Storage
import Testing

@testable import Node

/// cluster.toml in the terms of the modules.
@Suite struct SettingsTranslationTests {
    @Test func everyLimitReachesTheModuleThatHoldsIt() throws {
        let settings = try TestSettings.make([
            "CARILLON_LIMITS_KEYS": "77", "CARILLON_LIMITS_TOKENS_PER_ACTIVITY": "5",
            "CARILLON_STORAGE_ENDED_KEEP_MS": "61000", "CARILLON_LIMITS_STORE_QUEUE": "17",
            "CARILLON_LIMITS_DISPATCH_QUEUE": "18", "CARILLON_DELIVERY_STREAM_TIMEOUT_MS": "1234",
            "CARILLON_DELIVERY_CONNECT_TIMEOUT_MS": "4321", "CARILLON_DELIVERY_TOKEN_RENEW_MS": "1300000",
            "CARILLON_DELIVERY_KEY_INTERVAL_MS": "1500", "CARILLON_DELIVERY_STREAMS_MAX": "99",
        ])
        let core = CoreSettings(settings)
        #expect(core.apps == ["cricket"] && core.keysMax == 77 && core.tokensPerActivityMax == 5)
        #expect(core.endedKeepMilliseconds == 61_000)
        let apns = APNsSettings(settings)
        #expect(apns.requestTimeoutMilliseconds == 1234 && apns.connectTimeoutMilliseconds == 4321)
        #expect(apns.tokenRenewalMilliseconds == 1_300_000 && apns.offersMax == 18)
        #expect(apns.apps.map(\.streamsPerConnection) == [99])
        #expect(StoreSettings(settings).waitingBatchesMax == 17)
        let admission = AdmissionSettings(settings)
        #expect(admission.keyIntervalMilliseconds == 1500 && admission.ticketsMax == 77)
    }

    @Test func aNodeKnowsTheOthersAndTheirTimes() throws {
        let settings = try TestSettings.make([
            "CARILLON_CLUSTER_SEEDS": "far=tcp://far.example:7711", "CARILLON_COORDINATOR_LEASE_MS": "3000",
            "CARILLON_COORDINATOR_ELECTION_MS": "900", "CARILLON_MEMBERSHIP_PROBE_MS": "700",
            "CARILLON_CLUSTER_REPLICAS": "2", "CARILLON_NODE_N1_ADVERTISE_HOST": "n1.example",
        ])
        let node = try #require(settings.node("n1"))
        let core = NodeCoreSettings(settings, node)
        #expect(core.voters == ["n1", "n2", "n3"] && core.seeds.map(\.name) == ["n2", "n3", "far"])
        #expect(core.seeds.last?.control == "tcp://far.example:7711")
        #expect(core.coordinator.leaseMilliseconds == 3000 && core.coordinator.replicas == 2)
        #expect(core.consensus.electionMilliseconds == 900...1800 && core.membership.probeMilliseconds == 700)
        #expect(core.core.traces)
        let description = NodeDescription(node, producers: "tcp://127.0.0.1:9")
        #expect(description.control == "tcp://n1.example:7711" && description.data == "tcp://n1.example:7721")
        #expect(description.producers == "tcp://n1.example:7701" && description.zone == "a")
    }

    @Test func budgetsAreTokenBuckets() throws {
        let settings = try TestSettings.make([
            "CARILLON_BUDGET_APP_PER_SECOND": "12.5", "CARILLON_BUDGET_APP_BURST": "40",
            "CARILLON_BUDGET_APP_RESERVE_PERCENT": "30", "CARILLON_BUDGET_CHANNEL_STORED_PER_SECOND": "0.001",
            "CARILLON_BUDGET_CHANNEL_UNSTORED_BURST": "3",
        ])
        let admission = AdmissionSettings(settings)
        #expect(admission.appDefault == Budget(capacity: 40, refillMillitokensPerSecond: 12_500))
        #expect(admission.reservePermille == 300)
        #expect(admission.channelStored.refillMillitokensPerSecond == 1, "never nothing")
        #expect(admission.channelUnstored.capacity == 3)
    }

    @Test func anAppGetsTheHostsOfItsEnvironment() throws {
        let simulator = try #require(APNsSettings(try TestSettings.make()).apps.first)
        #expect(simulator.bundleID == "com.example.cricket" && simulator.teamID == "SIMTEAM001")
        #expect(simulator.send.host == "127.0.0.1" && simulator.send.port == 7443 && simulator.manage.port == 7444)
        #expect(simulator.serverName == "localhost" && simulator.broadcast == nil)
        #expect(simulator.caFile == "/nowhere/data/simulator/ca.pem")
        let variables = ["CARILLON_APP_CRICKET_ENVIRONMENT": "production"]
        let production = try #require(APNsSettings(try TestSettings.make(variables)).apps.first)
        #expect(production.send.host == "api.push.apple.com" && production.send.port == 443)
        #expect(production.manage.host == "api-manage-broadcast.push.apple.com" && production.manage.port == 2196)
        #expect(production.caFile == nil && production.serverName == nil)
        #expect(production.environment == .production)
    }
}
