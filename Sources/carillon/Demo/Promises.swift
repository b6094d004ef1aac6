internal import APNsSimulator
internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import SimulatedAPNs
internal import Terminal
internal import Wire

/// The verdict at the end: what the promises say of this match, judged by the simulated devices.
struct Promises {
    private let control: SimulatorControl
    private let channelID: String
    private let commentary: Commentary
    private let board: Scoreboard
    private let wickets: Int

    init(
        _ control: SimulatorControl, channelID: String, _ commentary: Commentary, _ board: Scoreboard, wickets: Int
    ) {
        (self.control, self.channelID, self.commentary) = (control, channelID, commentary)
        (self.board, self.wickets) = (board, wickets)
    }

    /// Judges every promise and says so, a line each.
    func check(_ screen: Screen, _ takeOver: TakeOver) throws(Fault) -> Bool {
        let final = try reached(.field(name: "ball", value: .integer(Int64(board.ball))))
        let ended = try reached(.ended)
        let state = try control.state()
        let ledger = commentary.state
        let lost = try lostEvents(ledger)
        let devices = "\(state.devicesOnline) of \(state.devices) devices are online"
        screen.note("")
        screen.note("\(board.line). \(board.result).")
        screen.note(
            "\(ledger.published) events published, \(ledger.acknowledged) acknowledged, "
                + "\(state.counter("accepted")) requests accepted by APNs, \(state.counter("delivered")) deliveries, "
                + "\(state.counter("rings")) rings for \(wickets) wickets and the result.")
        let verdicts =
            [
                verdict(
                    screen, final == nil && ended == nil,
                    "every online device shows the final score and has ended (\(devices))",
                    [final.map { "the score on " + $0 }, ended.map { "ended on " + $0 }].compactMap { $0 }
                        .joined(separator: ", ")),
                verdict(screen, state.counter("went_back") == 0, "no device went back", state.counter("went_back")),
                verdict(screen, lost.isEmpty, "nothing acknowledged was lost", lost.joined(separator: ", ")),
                verdict(screen, state.counter("rang_twice") == 0, "nothing rang twice", state.counter("rang_twice")),
                verdict(
                    screen, ledger.refused.isEmpty,
                    "no event was refused" + (ledger.overtaken > 0 ? ", \(ledger.overtaken) were overtaken" : ""),
                    ledger.refused.first ?? ""),
                verdict(
                    screen, state.counter("decode_failures") == 0, "every device could read every state",
                    state.counter("decode_failures")),
            ] + losses(screen, takeOver)
        return !verdicts.contains(false)
    }

    /// What must be true when a node was killed on the way.
    private func losses(_ screen: Screen, _ takeOver: TakeOver) -> [Bool] {
        guard takeOver.hasKilled else { return [] }
        let gap = takeOver.gapMilliseconds.map { Humanised.duration(milliseconds: $0) } ?? "never"
        let reasons = takeOver.waitForHealth(withinMilliseconds: 60_000)
        return [
            verdict(
                screen, takeOver.wasTakenOver,
                "the channel of the killed node was taken over by \(takeOver.successor), without updates for \(gap)"),
            verdict(
                screen, reasons.isEmpty, "the killed node is back and the cluster whole",
                reasons.joined(separator: "; ")),
        ]
    }

    /// Nil when all devices come to it in time, else how many have.
    private func reached(_ demand: Condition.Demand) throws(Fault) -> String? {
        do throws(Fault) {
            try control.wait(Condition(.everything, demand), timeoutMilliseconds: 5000)
            return nil
        } catch {
            guard error.code == .simulatorWait else { throw error }
            return error.detail
        }
    }

    /// Keys whose last acknowledged event did not reach APNs, or that were not acknowledged to the end.
    private func lostEvents(_ ledger: Commentary.Ledger) throws(Fault) -> [String] {
        var lost: [String] = []
        for (kind, target) in [(Key.Kind.channel, commentary.channel), (.activity, commentary.activity)] {
            let last = ledger.lastAcknowledged[kind] ?? 0
            let commentary = commentary
            let outcome = try Waiting.value { () async throws(Refusal) in
                try await commentary.finalOutcome(target, ball: last)
            }
            if last != board.ball || outcome != .apnsAccepted {
                lost.append("\(kind.name): ball \(last) of \(board.ball), \(outcome.rawValue)")
            }
        }
        return lost
    }

    private func verdict(_ screen: Screen, _ holds: Bool, _ promise: String, _ count: Int) -> Bool {
        verdict(screen, holds, promise, "\(count)")
    }

    private func verdict(_ screen: Screen, _ holds: Bool, _ promise: String, _ trouble: String = "") -> Bool {
        screen.note(holds ? "  held    \(promise)" : "  BROKEN  \(promise)\(trouble.isEmpty ? "" : ": " + trouble)")
        return holds
    }
}
