import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// The promises of README.md under `kill -9`: what was acknowledged arrives, nothing goes back, nothing rings
    /// twice.
    @Suite(.serialized) struct KillTests {
        @Test(
            .timeLimit(.minutes(8)),
            arguments: [
                KillPlan(stampReading: "strict", kills: 27), KillPlan(stampReading: "equal", kills: 22),
            ])
        func everyAcknowledgedKeyReachesItsNewestState(plan: KillPlan) async throws {
            let seed = SplitMix64.seedOfThisRun()
            print("kill test, \(plan.testDescription): CARILLON_SEED=\(seed) repeats it")
            let run = try KillRun(plan, seed: seed)
            do {
                try await run.prepare()
                run.load.start()
                for number in 1...plan.kills { try await run.killOnce(number) }
                try await run.settle()
                try check(run)
            } catch {
                showLog(run)
                await run.end()
                throw error
            }
            await run.end()
        }

        private func check(_ run: KillRun) throws {
            checkAcknowledgements(run)
            try checkChannels(run)
            try checkTokens(run)
            let state = try run.trial.control.state(channelsMax: 0)
            for promise in ["went_back", "rang_twice", "updates_after_end", "decode_failures", "unreadable"] {
                #expect(state.counter(promise) == 0, "\(promise), seed \(run.seed)")
            }
            #expect(state.counter("rings") > 0 && state.counter("shown") > run.plan.keys)
            let statistics = run.client.statistics
            print(
                run.report.text(
                    run.plan, seed: run.seed, run.ledger.current, sent: statistics.sent, resent: statistics.repeated,
                    heldBack: run.load.heldBack))
            print("simulator: \(state.counters.sorted { $0.key < $1.key }.filter { $0.value > 0 })")
        }

        /// The last event of every key is acknowledged. An older one may have been refused, but only because a newer
        /// one was accepted.
        private func checkAcknowledgements(_ run: KillRun) {
            let ledger = run.ledger.current
            for key in 0..<run.plan.keys {
                #expect(ledger.acknowledged[key] == ledger.handed[key], "\(run.plan.name(key)), seed \(run.seed)")
            }
            for refusal in ledger.refusals {
                #expect(
                    ["superseded", "no-answer"].contains(refusal.code)
                        && refusal.counter < ledger.acknowledged[refusal.key],
                    "\(run.plan.name(refusal.key)) \(refusal.counter): \(refusal.code), seed \(run.seed)")
            }
        }

        private func checkChannels(_ run: KillRun) throws {
            let acknowledged = run.ledger.current.acknowledged
            for (key, id) in run.channels.enumerated() {
                let newest = Condition.Demand.field(name: "counter", value: .integer(Int64(acknowledged[key])))
                #expect(throws: Never.self, "\(run.plan.name(key)), seed \(run.seed)") {
                    try run.trial.control.wait(
                        Condition(.channel(id), newest, activitiesMin: run.plan.devicesPerChannel),
                        timeoutMilliseconds: 20_000)
                    if run.plan.isEnded(key) {
                        try run.trial.control.wait(Condition(.channel(id), .ended), timeoutMilliseconds: 20_000)
                    }
                }
            }
        }

        private func checkTokens(_ run: KillRun) throws {
            let acknowledged = run.ledger.current.acknowledged
            for (activity, tokens) in run.tokens.enumerated() {
                let key = run.plan.channels + activity
                for token in tokens {
                    let isThere = try eventually {
                        let shown = try run.trial.control.device(ofToken: token)["activities"]?[0]
                        return shown?["state"]?["counter"]?.integer == Int64(acknowledged[key])
                            && shown?["ended"]?.bool == run.plan.isEnded(key)
                    }
                    #expect(isThere, "\(run.plan.name(key)), seed \(run.seed)")
                }
            }
        }

        /// The end of the node's log, so that a failure can be understood.
        private func showLog(_ run: KillRun) {
            let lines = TextFile.read(run.trial.cluster.nodeLog).split(separator: "\n")
            for line in lines.filter({ !$0.contains("channel created") }).suffix(20) {
                print("node: \(line.prefix(400))")
            }
        }
    }
}
