internal import APNsSimulator
internal import CarillonClient
internal import Codes
internal import LocalCluster
internal import Loops
internal import SimulatedAPNs
internal import Terminal

/// One run of the demo from the start of its processes to the verdict.
final class Demo {
    private let plan: DemoPlan
    private let screen: Screen
    private let cluster: LocalCluster
    private var board = Scoreboard()
    private var wickets = 0

    init(_ plan: DemoPlan, program: String, screen: Screen) throws(Fault) {
        (self.plan, self.screen) = (plan, screen)
        var options = LocalCluster.Options(program: program)
        options.nodes = 1
        options.schemas = MatchPayload.schemas
        cluster = try LocalCluster(options)
    }

    /// Ends all processes; removes their directory unless it is to be kept.
    func close(keep: Bool) {
        screen.close()
        cluster.stop()
        if keep { screen.note("Kept: \(cluster.directory)") } else { cluster.remove() }
    }

    /// Plays the match; whether every promise held.
    func run() throws(Fault) -> Bool {
        screen.note("Starting an APNs simulator and node \(LocalCluster.node) with fresh keys …")
        let control = try cluster.startSimulator()
        try cluster.startNode()
        let commentary = try Commentary(cluster)
        let watch = try NodeWatch(cluster)
        watch.start()
        let channelID = try Waiting.value { () async throws(Refusal) in try await commentary.openChannel() }
        let crowd = try Crowd(plan, control, channelID: channelID, commentary)
        if let sabotage = plan.sabotage.flatMap(Faults.Sabotage.init(rawValue:)) {
            try control.setFaults([.sabotage(sabotage)])
            screen.note("Sabotage: \(sabotage.rawValue). The checks at the end must notice.")
        }
        screen.note("Channel match/ipl-2024-final: \(plan.channelDevices) devices; \(plan.tokenDevices) more by token.")
        let view = DemoView(screen: screen, plan: plan, control: control, channelID: channelID, commentary, watch)
        try play(commentary, crowd, view)
        screen.close()
        let verdict = try Promises(control, channelID: channelID, commentary, board, wickets: wickets).check(screen)
        Waiting.until { await watch.stop() }
        Waiting.until { await commentary.close() }
        return verdict
    }

    /// Publishes ball after ball, evenly over the time of the plan, then the end.
    private func play(_ commentary: Commentary, _ crowd: Crowd, _ view: DemoView) throws(Fault) {
        let balls = Ball.final()
        let began = Clock.bootMilliseconds()
        let span = Int64(plan.seconds) * 1000
        var next = 0
        while next < balls.count {
            let elapsed = Clock.bootMilliseconds() - began
            try crowd.change(at: Double(elapsed) / Double(span))
            while next < balls.count, elapsed >= span * Int64(next) / Int64(balls.count) {
                try publish(balls[next], commentary)
                next += 1
            }
            try view.refresh(at: elapsed)
            Waiting.pause(milliseconds: 20)
        }
        try crowd.change(at: 1)
        board.finish()
        try hand(MatchPayload.end(board), important: true, commentary)
        try view.settle(board)
        try crowd.everybodyBack()
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
