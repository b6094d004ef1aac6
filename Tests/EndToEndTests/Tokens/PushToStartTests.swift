import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Testing
import Wire

extension EndToEnd {
    /// Activities that are started by push: once per device, whatever happens in between.
    @Suite struct PushToStartTests {
        private func state(_ client: CarillonProducer, _ target: Target) async throws -> [String] {
            try await client.activity(target).starts.map { "\($0.device) \($0.state)" }
        }

        @Test(.timeLimit(.minutes(2))) func offlineDeviceGetsOneActivityWithTheNewestState() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let client = try trial.client()
            let phone = try await Phone(trial, client, user: "u1", device: "phone", online: false)
            let target = Event.target(activity: "match/1")
            _ = try await client.publish(Event.start(target, 0, id: "s", user: "u1"))
            for counter in 1...10 { _ = try await client.publish(Event.update(target, counter)) }
            #expect(try await eventually { try await state(client, target) == ["phone pending"] })
            trial.cluster.killNode()
            try trial.cluster.startNode()
            for counter in 11...20 { _ = try await client.publish(Event.update(target, counter)) }
            try trial.control.setOnline(true, devices: phone.index..<phone.index + 1)
            #expect(try eventually { try phone.shown(trial) == [0] })
            let token = try #require(try trial.control.issuedTokens().first)
            try await client.register(try #require(phone.registration(target, token)))
            #expect(try eventually { try phone.shown(trial) == [20] })
            #expect(try await state(client, target) == ["phone joined"])
            #expect(try trial.control.issuedTokens().count == 1)
            let device = try trial.control.device(phone.index)
            #expect(device["activities"]?[0]?["went_back"]?.integer == 0)
            await client.close()
        }

        @Test(.timeLimit(.minutes(2))) func dismissedIsNotStartedAgain() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let client = try trial.client()
            let phone = try await Phone(trial, client, user: "u1", device: "phone")
            let target = Event.target(activity: "match/1")
            _ = try await client.publish(Event.start(target, 0, id: "s", user: "u1"))
            #expect(try eventually { try phone.shown(trial) == [0] })
            let token = try #require(try trial.control.issuedTokens().first)
            try await client.register(try #require(phone.registration(target, token)))
            try await client.unregister(try #require(phone.registration(target, token, reason: .dismissed)))
            trial.cluster.killNode()
            try trial.cluster.startNode()
            await #expect { _ = try await client.publish(Event.start(target, 1, id: "again", user: "u1")) } throws: {
                ($0 as? Refusal)?.fault.code == .dismissed
            }
            _ = try await client.publish(Event.update(target, 2))
            _ = try await client.publish(Event.update(target, 3, event: .end))
            #expect(try trial.control.issuedTokens().count == 1)
            #expect(try await state(client, target) == ["phone dismissed"])
            _ = try await client.publish(Event.start(target, 4, id: "next", user: "u1"))
            #expect(try eventually { try trial.control.issuedTokens().count == 2 })
            await client.close()
        }

        @Test(.timeLimit(.minutes(2))) func killedNodeSendsNoSecondStart() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let client = try trial.client()
            let phone = try await Phone(trial, client, user: "u1", device: "phone")
            // The answers come late, so the node dies while starts are on their way.
            try trial.control.setFaults([.delayMilliseconds(300)])
            for number in 1...5 {
                let target = Event.target(activity: "match/\(number)")
                _ = try await client.publish(Event.start(target, 0, id: "s", user: "u1"))
                trial.cluster.killNode()
                try trial.cluster.startNode()
                // Its intent was stored or it was not: then it goes now.
                #expect(
                    try await eventually {
                        let states = try await state(client, target)
                        return states == ["phone unknown"] || states == ["phone pending"]
                    })
            }
            #expect(try phone.shown(trial).count <= 5)
            let dropped = try trial.control.state().counter("starts_dropped")
            #expect(try trial.control.issuedTokens().count + dropped <= 5)
            await client.close()
        }

        @Test(.timeLimit(.minutes(2))) func limitOfADeviceSurvivesARestart() async throws {
            let trial = try Trial(["CARILLON_LIMITS_STARTS_PER_DEVICE_HOUR": "2"])
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            _ = try await Phone(trial, client, user: "u1", device: "phone")
            func start(_ number: Int) async throws -> String? {
                let target = Event.target(activity: "match/\(number)")
                _ = try await client.publish(Event.start(target, 0, id: "s", user: "u1"))
                #expect(
                    try await eventually {
                        let last = try await state(client, target).first
                        return last != nil && last != "phone sending"
                    })
                return try await state(client, target).first
            }
            #expect(try await start(1) == "phone pending")
            #expect(try await start(2) == "phone pending")
            trial.cluster.killNode()
            try trial.cluster.startNode()
            #expect(try await start(3) == "phone limited")
            #expect(try await client.status(Event.target(activity: "match/3"), id: Event.id("s")).reason == "limited")
            #expect(try await trial.status(admin)["stages"]?["settle"]?["starts_limited"]?.integer == 1)
            #expect(try trial.control.issuedTokens().count == 2)
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(2))) func startWithoutUpdateTokenIsReported() async throws {
            let trial = try Trial(["CARILLON_DELIVERY_START_TOKEN_WAIT_MS": "1000"])
            defer { trial.end() }
            let client = try trial.client()
            _ = try await Phone(trial, client, user: "u1", device: "phone")
            let target = Event.target(activity: "match/1")
            _ = try await client.publish(Event.start(target, 0, id: "s", user: "u1"))
            #expect(try await eventually { try await state(client, target) == ["phone overdue"] })
            #expect(eventually { trial.log.count("no update token after a start") == 1 })
            let shown = try trial.run(["activity", "show", "match/1", "--app", Trial.app])
            #expect(shown.status == .success && shown.output.contains("overdue"), "\(shown.output)\(shown.errors)")
            await client.close()
        }

        @Test(.timeLimit(.minutes(2))) func fallbackGoesToTheOrdinaryToken() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let client = try trial.client()
            let added = try trial.control.addDevices(1, app: Trial.bundle, .ordinaryTokens)
            let text = try #require(added.tokens.first)
            let token = try #require(PushToken(text))
            try await client.register(
                Registration(app: Trial.app, ordinaryToken: token, user: "u1", device: "old"))
            let target = Event.target(activity: "match/1")
            _ = try await client.publish(
                Event.start(target, 0, id: "s", user: "u1", device: "old", fallback: true))
            #expect(
                try eventually { try trial.control.device(added.devices.lowerBound)["banners"]?.integer == 1 })
            #expect(try await state(client, target) == ["old no-start-token"])
            await client.close()
        }
    }
}
