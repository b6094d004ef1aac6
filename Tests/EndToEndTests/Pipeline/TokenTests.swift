import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// Activities that are followed by tokens.
    @Suite struct TokenTests {
        private func counter(_ trial: Trial, _ token: String) throws -> Int64? {
            try trial.control.device(ofToken: token)["activities"]?[0]?["state"]?["counter"]?.integer
        }

        @Test(.timeLimit(.minutes(1))) func aTokenGetsTheCurrentStateAtOnceAndDoesNotRing() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let client = try trial.client()
            let target = Event.target(activity: "match/7")
            _ = try await client.publish(Event.update(target, 3, alert: true))
            let added = try trial.control.addDevices(2, app: Trial.bundle, .activityTokens(), schema: "Score")
            for text in added.tokens {
                let token = try #require(PushToken(text))
                let answer = try await client.register(Registration(target: target, token: token))
                #expect(answer.changed)
                #expect(!(try await client.register(Registration(target: target, token: token)).changed))
                #expect(try eventually { try counter(trial, text) == 3 })
            }
            #expect(try trial.control.state().counter("rings") == 0, "the alert was for those who followed then")
            _ = try await client.publish(Event.update(target, 4, alert: true))
            for text in added.tokens { #expect(try eventually { try counter(trial, text) == 4 }) }
            #expect(try trial.control.state().counter("rings") == 2)

            let gone = try #require(PushToken(added.tokens[0]))
            #expect(try await client.unregister(Registration(target: target, token: gone)).changed)
            _ = try await client.publish(Event.update(target, 5))
            #expect(try eventually { try counter(trial, added.tokens[1]) == 5 })
            #expect(try counter(trial, added.tokens[0]) == 4)
            await client.close()
        }

        @Test(.timeLimit(.minutes(1))) func aDeadTokenIsTakenOutAndTheOthersGoOn() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let target = Event.target(activity: "match/8")
            let added = try trial.control.addDevices(2, app: Trial.bundle, .activityTokens(), schema: "Score")
            for text in added.tokens {
                let token = try #require(PushToken(text))
                try await client.register(Registration(target: target, token: token))
            }
            _ = try await client.publish(Event.update(target, 1))
            for text in added.tokens { #expect(try eventually { try counter(trial, text) == 1 }) }
            try trial.control.setFate(.unregistered, ofToken: added.tokens[0])
            var event = Event.update(target, 2)
            event.receipts = true
            _ = try await client.publish(event)
            #expect(try eventually { try counter(trial, added.tokens[1]) == 2 })
            #expect(
                try await eventually {
                    try await trial.status(admin)["stages"]?["settle"]?["tokens_gone"]?.integer == 1
                })
            #expect(try await trial.status(admin)["stages"]?["route"]?["tokens"]?.integer == 1)
            #expect(try await client.status(target, id: Event.id("e2")).outcome == .apnsAccepted)
            await client.close()
            var receipts: [EventReport] = []
            for await batch in client.receipts { receipts += batch }
            let last = try #require(receipts.last)
            #expect(last.id == Event.id("e2") && last.outcome == .apnsAccepted)
            #expect(last.counts.destinations == 2 && last.counts.reached == 1 && last.counts.gone == 1)
            await admin.close()
        }
    }
}
