internal import APNsSimulator
internal import CarillonClient
internal import Codes
internal import Loops
internal import SimulatedAPNs
internal import Terminal

/// One run of the demo from the start of its processes to the verdict.
final class Demo {
    private let plan: DemoPlan
    private let screen: Screen
    private let cluster: DemoCluster
    private var board = Scoreboard()
    private var wickets = 0

    init(_ plan: DemoPlan, _ cluster: DemoCluster, screen: Screen) {
        (self.plan, self.cluster, self.screen) = (plan, cluster, screen)
    }

    /// Ends all processes; removes their directory unless it is to be kept.
    func close(keep: Bool) {
        screen.close()
        cluster.close(keep: keep, screen)
    }

    /// Plays the match; whether every promise held.
    func run() throws(Fault) -> Bool {
        screen.note(cluster.opening)
        let control = try cluster.open()
        let commentary = try Commentary(cluster)
        let watch = NodeWatch(try cluster.circle())
        watch.start()
        try waitForNodes(watch)
        let channelID = try Waiting.value { () async throws(Refusal) in try await commentary.openChannel() }
        let crowd = try Crowd(plan, control, channelID: channelID, commentary)
        if let sabotage = plan.sabotage.flatMap(Faults.Sabotage.init(rawValue:)) {
            try control.setFaults([.sabotage(sabotage)])
            screen.note("Sabotage: \(sabotage.rawValue). The checks at the end must notice.")
        }
        screen.note("Channel match/ipl-2024-final: \(plan.channelDevices) devices; \(plan.tokenDevices) more by token.")
        let view = DemoView(screen: screen, plan: plan, control: control, channelID: channelID, commentary, watch)
        let takeOver = try TakeOver(
            cluster, control, channelID: channelID, target: commentary.channel, screen)
        try play(commentary, crowd, view, takeOver)
        screen.close()
        let verdict = try Promises(control, channelID: channelID, commentary, board, wickets: wickets)
            .check(screen, takeOver)
        watch.stop()
        takeOver.close()
        Waiting.until { await commentary.close() }
        return verdict
    }

    /// Nodes that have just been started must first find each other.
    private func waitForNodes(_ watch: NodeWatch) throws(Fault) {
        let deadline = Clock.bootMilliseconds() + 60_000
        while !watch.health.isHealthy {
            guard Clock.bootMilliseconds() < deadline else {
                throw Fault(.clusterNotMade, watch.health.reasons.joined(separator: "; "))
            }
            Waiting.pause(milliseconds: 50)
        }
        guard cluster.nodes.count > 1 else { return }
        screen.note("\(cluster.nodes.count) nodes have found each other; \(watch.coordinator) coordinates.")
    }

    /// Publishes ball after ball, evenly over the time of the plan, then the end.
    private func play(
        _ commentary: Commentary, _ crowd: Crowd, _ view: DemoView, _ takeOver: TakeOver
    ) throws(Fault) {
        let balls = Ball.final()
        let turn = DemoPlan.turn(of: balls)
        let began = Clock.bootMilliseconds()
        let span = Int64(plan.seconds) * 1000
        var next = 0
        while next < balls.count {
            let elapsed = Clock.bootMilliseconds() - began
            try crowd.change(at: Double(elapsed) / Double(span))
            while next < balls.count, elapsed >= span * Int64(next) / Int64(balls.count) {
                try publish(balls[next], commentary)
                next += 1
                if next == turn, cluster.canKill, plan.kills { try takeOver.strike() }
            }
            try takeOver.watch()
            try view.refresh(at: elapsed)
            Waiting.pause(milliseconds: 20)
        }
        try crowd.change(at: 1)
        board.finish()
        try hand(MatchPayload.end(board), important: true, commentary)
        try seeThrough(takeOver)
        try view.settle(board)
        try crowd.everybodyBack()
    }

    /// Waits for a take-over that is still under way, and brings the killed node back.
    private func seeThrough(_ takeOver: TakeOver) throws(Fault) {
        guard takeOver.hasKilled else { return }
        let deadline = Clock.bootMilliseconds() + 20_000
        while !takeOver.wasTakenOver, Clock.bootMilliseconds() < deadline {
            try takeOver.watch()
            Waiting.pause(milliseconds: 20)
        }
        try takeOver.restart()
    }

    private func publish(_ ball: Ball, _ commentary: Commentary) throws(Fault) {
        board.bowl(ball)
        if ball.isWicket { wickets += 1 }
        let alert = ball.isWicket ? "\(ball.dismissed) is out, \(ball.wicketKind), bowled by \(ball.bowler)" : nil
        try hand(MatchPayload.update(board, alert: alert), important: ball.isWicket, commentary)
    }

    private func hand(_ payload: [UInt8], important: Bool, _ commentary: Commentary) throws(Fault) {
        guard commentary.say(payload, ball: board.ball, important: important) else {
            throw Fault(.overloaded, "the client takes no more events")
        }
    }
}
