internal import APNsSimulator
internal import Codes
internal import LiveActivity
internal import Loops
internal import SimulatedAPNs
internal import Telemetry
internal import Terminal
internal import Wire

/// What the demo shows while it runs: a phone's card, the six stages, latencies, budgets. On a pipe, a line every few
/// seconds.
final class DemoView {
    private let screen: Screen
    private let plan: DemoPlan
    private let control: SimulatorControl
    private let channelID: String
    private let commentary: Commentary
    private let watch: NodeWatch
    private var drawnAt: Int64 = -10_000
    private var rates: [Double] = []

    init(
        screen: Screen, plan: DemoPlan, control: SimulatorControl, channelID: String, _ commentary: Commentary,
        _ watch: NodeWatch
    ) {
        (self.screen, self.plan, self.control, self.channelID) = (screen, plan, control, channelID)
        (self.commentary, self.watch) = (commentary, watch)
    }

    /// Draws when it is time again.
    func refresh(at elapsed: Int64) throws(Fault) {
        let interval: Int64 = screen.isLive ? 250 : 5000
        guard elapsed - drawnAt >= interval else { return }
        drawnAt = elapsed
        let channel = try control.channel(channelID)
        if screen.isLive {
            rates.append(watch.state.rate("ingest", "messages"))
            screen.draw(frame(channel, elapsed))
        } else {
            screen.note(line(channel, elapsed))
        }
    }

    /// Waits until the devices that are online show the end, or time is over: the checks judge it.
    func settle(_ board: Scoreboard) throws(Fault) {
        let wanted = Condition(.everything, .field(name: "ball", value: .integer(Int64(board.ball))))
        do throws(Fault) {
            try control.wait(wanted, timeoutMilliseconds: 10_000)
        } catch {
            guard error.code == .simulatorWait else { throw error }
        }
        let channel = try control.channel(channelID)
        if screen.isLive { screen.draw(frame(channel, Int64(plan.seconds) * 1000)) }
    }

    // MARK: One line

    private func line(_ channel: SimulatorState.Channel, _ elapsed: Int64) -> String {
        let ledger = commentary.state
        let node = watch.state
        return "\(TextWidth.padded("\(elapsed / 1000) s", to: 5, right: true))  "
            + TextWidth.padded(Self.score(channel.shown.newestState), to: 20)
            + "published \(ledger.published), acknowledged \(ledger.acknowledged), "
            + "conflated \(node.figure("admit", "conflated")), sent \(node.figure("settle", "reports")), "
            + "devices current \(channel.shown.currentOnline) of \(channel.shown.online), "
            + "ack p50 \(Humanised.duration(nanoseconds: ledger.ackNanoseconds.percentile(0.5)))"
    }

    private static func score(_ state: JSONValue?) -> String {
        guard let state else { return "—" }
        func text(_ name: String) -> String { state[name]?.string ?? "" }
        func number(_ name: String) -> Int64 { state[name]?.integer ?? 0 }
        return "\(text("side")) \(number("runs"))/\(number("wickets")) (\(text("over")))"
    }

    // MARK: The frame

    private func frame(_ channel: SimulatorState.Channel, _ elapsed: Int64) -> [String] {
        let columns = min(110, max(60, screen.terminalSize.columns))
        let left = Block.framed(phone(channel), title: "a phone", columns: 36)
        let right = stages(columns - 38)
        return [""] + Block.beside(left, columns: 36, right) + [""] + figures(channel, elapsed, columns)
    }

    private func phone(_ channel: SimulatorState.Channel) -> [String] {
        guard let state = channel.shown.newestState else { return ["", "waiting for the first ball", "", "", ""] }
        let target = state["target"]?.integer ?? 0
        let result = state["result"]?.string ?? ""
        return [
            "", "  " + Self.score(state), target > 0 ? "  target \(target)" : "  first innings",
            "  " + (result.isEmpty ? state["last"]?.string ?? "" : result), "",
        ]
    }

    private func stages(_ columns: Int) -> [String] {
        let node = watch.state
        func row(_ stage: String, _ text: String) -> String {
            TextWidth.cut(TextWidth.padded(stage, to: 11) + text, to: columns)
        }
        func rate(_ stage: String, _ name: String) -> String { Humanised.rate(node.rate(stage, name)) }
        return [
            row("Ingest", "\(rate("ingest", "messages"))  \(Sparkline.text(rates, columns: 20))"),
            row("Route", "\(node.figure("route", "keys")) keys, \(node.figure("route", "tokens")) tokens"),
            row("Replicate", "\(rate("replicate", "accepted")) on disk before the ack"),
            row("Admit", "\(rate("admit", "released")) released, \(node.figure("admit", "conflated")) conflated"),
            row("Dispatch", "\(rate("dispatch", "offered")) to APNs, \(node.figure("dispatch", "lanes")) lanes"),
            row("Settle", "\(rate("settle", "reports")) outcomes, \(node.figure("settle", "receipts")) receipts"),
        ]
    }

    private func figures(_ channel: SimulatorState.Channel, _ elapsed: Int64, _ columns: Int) -> [String] {
        let ledger = commentary.state
        let node = watch.state
        func time(_ value: Int64) -> String { Humanised.duration(nanoseconds: value) }
        let shown = channel.shown
        let share = shown.online == 0 ? 0 : Double(shown.currentOnline) / Double(shown.online)
        let ack = ledger.ackNanoseconds
        let apns = ledger.apnsNanoseconds
        return [
            "devices  \(Bar.text(share, columns: 24))  \(shown.currentOnline) of \(shown.online) show the newest, "
                + "\(shown.offline) offline",
            "latency  publish to ack p50 \(time(ack.percentile(0.5))) p99 \(time(ack.percentile(0.99))), "
                + "to APNs p50 \(time(apns.percentile(0.5))) p99 \(time(apns.percentile(0.99)))",
            "budgets  waited for the key's second \(node.figure("admit", "deferred_by_key")), the channel's budget "
                + "\(node.figure("admit", "deferred_by_channel")), the app's "
                + "\(node.figure("admit", "deferred_by_app"))",
            "match    \(Bar.text(Double(elapsed) / Double(plan.seconds * 1000), columns: 24))  "
                + "ball \(ledger.published / 2)",
        ].map { TextWidth.cut($0, to: columns) }
    }
}
