import APNsSimulator
import Codes
import LiveActivity
import SimulatedAPNs
import Testing

extension EndToEnd {
    /// The promises of README.md while nodes die, freeze, lose each other, come and go: 10,000 keys are published to
    /// all the while.
    @Suite(.serialized, .enabled(if: FaultChoice.isWanted)) struct FaultTests {
        @Test(.timeLimit(.minutes(10)), arguments: FaultChoice.scenarios)
        func whateverHappensNothingAcknowledgedIsLost(scenario: FaultScenario) async throws {
            try #require(
                !scenario.needsSpaces || NetworkSpaces.areAvailable,
                "cuts need root, iproute2 and nftables: see Deploy/install.sh")
            let run = try FaultRun(scenario, FaultPlan())
            do {
                try await run.prepare()
                try run.startLoad()
                try await scenario.happen(to: run)
                try run.waitUntilHealthy(without: scenario.missing)
                try run.settle()
                try check(run)
            } catch {
                run.showLogs()
                await run.end()
                throw error
            }
            await run.end()
        }

        private func check(_ run: FaultRun) throws {
            checkAcknowledgements(run)
            try checkChannels(run)
            try checkTokens(run)
            let state = try run.control.state(channelsMax: 0)
            for promise in ["went_back", "rang_twice", "updates_after_end", "decode_failures", "unreadable"] {
                #expect(state.counter(promise) == 0, "\(promise), \(run.scenario.rawValue)")
            }
            #expect(state.counter("rings") > 0 && state.counter("shown") > run.plan.keys)
            let report = FaultReport(
                scenario: run.scenario, plan: run.plan, ledger: run.ledger.current, heldBack: run.load.heldBack)
            print("faults: \(FaultReport.header)\nfaults: \(report.line)")
        }

        /// The last event of every key is acknowledged. An older one may have been refused, but only because a newer
        /// one was accepted.
        private func checkAcknowledgements(_ run: FaultRun) {
            let ledger = run.ledger.current
            for (key, entry) in ledger.entries.enumerated() where entry.acknowledged != entry.handed {
                Issue.record("\(run.plan.name(key)): \(entry.acknowledged) of \(entry.handed) acknowledged")
            }
            for refusal in ledger.refusals
            where !["superseded", "no-answer", "shard-moves"].contains(refusal.code)
                || refusal.counter >= ledger.entries[refusal.key].acknowledged
            {
                Issue.record("\(run.plan.name(refusal.key)) \(refusal.counter): \(refusal.code)")
            }
        }

        private func checkChannels(_ run: FaultRun) throws {
            let entries = run.ledger.current.entries
            for (key, id) in run.channels.enumerated() {
                let newest = Condition.Demand.field(name: "counter", value: .integer(Int64(entries[key].acknowledged)))
                #expect(throws: Never.self, "\(run.plan.name(key))") {
                    try run.control.wait(
                        Condition(.channel(id), newest, activitiesMin: run.plan.devicesPerChannel),
                        timeoutMilliseconds: 30_000)
                    if run.plan.isEnded(key) {
                        try run.control.wait(Condition(.channel(id), .ended), timeoutMilliseconds: 30_000)
                    }
                }
            }
        }

        private func checkTokens(_ run: FaultRun) throws {
            let entries = run.ledger.current.entries
            for (number, token) in run.tokens.enumerated() {
                let key = run.plan.channels + number
                let isThere = try eventually {
                    let shown = try run.control.device(ofToken: token)["activities"]?[0]
                    return shown?["state"]?["counter"]?.integer == Int64(entries[key].acknowledged)
                        && shown?["ended"]?.bool == run.plan.isEnded(key)
                }
                if !isThere { Issue.record("\(run.plan.name(key)) is not at its newest state") }
            }
        }
    }
}
