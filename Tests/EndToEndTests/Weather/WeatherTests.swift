import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// APNs on a bad day: the newest always arrives, and the counters say what happened.
    @Suite(.serialized) struct WeatherTests {
        /// What goes wrong, and where the node must say so.
        struct Weather: Sendable, CustomTestStringConvertible {
            let name: String
            let faults: [FaultSetting]
            /// Whether the status document of the app tells of it.
            let isTold: @Sendable (JSONValue) -> Bool
            var testDescription: String { name }
        }

        private static func refused(_ app: JSONValue, _ status: Int64) -> Bool {
            app["refused"]?.array?.contains { $0["status"]?.integer == status } ?? false
        }

        static let weathers = [
            Weather(name: "GOAWAY storm", faults: [.goAway(after: 15, lag: 4)]) { $0["goaways"]?.integer ?? 0 > 3 },
            Weather(name: "429 burst", faults: [.burst(60, .tooManyRequests)]) { refused($0, 429) },
            Weather(name: "503 burst", faults: [.burst(60, .serviceUnavailable)]) { refused($0, 503) },
            Weather(name: "503 with retry-after", faults: [.burst(40, .serviceUnavailable, retryAfterSeconds: 1)]) {
                refused($0, 503)
            },
            Weather(name: "unanswered streams", faults: [.unansweredOneIn(6)]) { $0["timeouts"]?.integer ?? 0 > 0 },
            Weather(name: "cut connections", faults: [.cutAfter(25)]) { $0["answers_lost"]?.integer ?? 0 > 0 },
            Weather(name: "refused streams", faults: [.refusedOneIn(4)]) { _ in true },
            Weather(name: "one stream", faults: [.streams(1)]) { _ in true },
        ]

        @Test(.timeLimit(.minutes(2)), arguments: weathers)
        func theNewestArrives(weather: Weather) async throws {
            let trial = try Trial([
                "CARILLON_DELIVERY_STREAM_TIMEOUT_MS": "700", "CARILLON_SIMULATOR_ANSWER_DELAY_MS": "20",
            ])
            defer { trial.end() }
            let ledger = Ledger(keys: 40)
            let client = try CarillonProducer(try trial.cluster.clientSettings()) { ledger.take($0) }
            let admin = try trial.client(admin: true)
            let tokens = try await activities(ledger.current.handed.count, trial, client)
            try publish(ledger, client, trial)
            try #require(eventually { ledger.isSettled })
            try trial.control.setFaults(weather.faults)
            // Rounds until the node has told of the weather, and at least six of them.
            let isTold = try await eventually(within: 30_000) {
                try publish(ledger, client, trial)
                guard ledger.current.handed[0] > 60 else { return false }
                let status = try await trial.status(admin)
                return status["apps"]?[0].map(weather.isTold) ?? false
            }
            #expect(isTold)
            try trial.control.setFaults([.clear])
            try publish(ledger, client, trial)
            try #require(eventually { ledger.isSettled })
            try check(trial, tokens, ledger)
            await client.close()
            await admin.close()
        }

        private func activities(_ count: Int, _ trial: Trial, _ client: CarillonProducer) async throws -> [String] {
            let added = try trial.control.addDevices(count, app: Trial.bundle, .activityTokens(), schema: "Score")
            for (key, text) in added.tokens.enumerated() {
                let token = try #require(PushToken(text))
                try await client.register(Registration(target: Event.target(activity: "match/\(key)"), token: token))
            }
            return added.tokens
        }

        /// One event for every key; one in eight rings.
        private func publish(_ ledger: Ledger, _ client: CarillonProducer, _ trial: Trial) throws {
            let keys = ledger.current.handed.count
            let batch = (0..<keys).map { key in
                let counter = ledger.next(key)
                let event = Event.update(
                    Event.target(activity: "match/\(key)"), counter, alert: (counter + key) % 8 == 0)
                return (tag: Ledger.tag(key, counter), event: event)
            }
            try #require(client.submit(batch))
            try #require(eventually { ledger.isSettled })
        }

        private func check(_ trial: Trial, _ tokens: [String], _ ledger: Ledger) throws {
            let final = ledger.current
            #expect(final.refusals.isEmpty && final.acknowledged == final.handed)
            for (key, token) in tokens.enumerated() {
                let isThere = try eventually(within: 40_000) {
                    let shown = try trial.control.device(ofToken: token)["activities"]?[0]?["state"]
                    return shown?["counter"]?.integer == Int64(final.handed[key])
                }
                #expect(isThere, "match/\(key)")
            }
            let state = try trial.control.state()
            for promise in ["went_back", "rang_twice", "decode_failures"] {
                #expect(state.counter(promise) == 0, "\(promise)")
            }
        }
    }
}
