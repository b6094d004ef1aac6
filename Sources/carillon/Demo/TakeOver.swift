internal import APNsSimulator
internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Loops
internal import Terminal
internal import Wire

/// Kills the owner of the match's channel in the middle of the second innings, watches who takes over, and starts it
/// again.
final class TakeOver {
    private enum State {
        case waiting
        /// Killed, and nobody serves the channel yet.
        case orphaned
        /// Somebody else serves it.
        case served
        /// The killed node was started again.
        case restarted
    }

    /// For how long the killed node stays away after the take-over.
    private static let restMilliseconds: Int64 = 3000
    /// Between two questions to the nodes.
    private static let askMilliseconds: Int64 = 50

    private let cluster: DemoCluster
    private let circle: NodeCircle
    private let control: SimulatorControl
    private let channelID: String
    private let target: Target
    private let screen: Screen
    private var state = State.waiting
    private var victim = ""
    private var killedAt: Int64 = 0
    private var askedAt: Int64 = 0
    private var servedAt: Int64?
    private var acceptedBefore = 0
    /// Milliseconds from the kill to the next update that APNs took for the channel.
    private(set) var gapMilliseconds: Int64?
    /// Who took over.
    private(set) var successor = ""

    init(
        _ cluster: DemoCluster, _ control: SimulatorControl, channelID: String, target: Target, _ screen: Screen
    ) throws(Fault) {
        (self.cluster, self.control, self.channelID) = (cluster, control, channelID)
        (self.target, self.screen) = (target, screen)
        circle = try cluster.circle()
    }

    /// Whether a node was killed and somebody else went on with its channel.
    var wasTakenOver: Bool { !successor.isEmpty && gapMilliseconds != nil }
    /// Whether there was a kill.
    var hasKilled: Bool { !victim.isEmpty }

    /// The moment has come.
    func strike() throws(Fault) {
        guard case .waiting = state else { return }
        guard let owner = owner()?.name else {
            screen.note("Nobody says who owns the channel: nobody is killed.")
            return
        }
        acceptedBefore = try control.channel(channelID).accepted
        victim = owner
        killedAt = Clock.bootMilliseconds()
        try cluster.kill(owner)
        state = .orphaned
        screen.note("\(owner) owns \(target.name): killed with SIGKILL, without a word to anybody.")
    }

    /// Looks after what happens next; cheap when nothing does.
    func watch() throws(Fault) {
        guard hasKilled else { return }
        let now = Clock.bootMilliseconds()
        if gapMilliseconds == nil, try control.channel(channelID).accepted > acceptedBefore {
            gapMilliseconds = now - killedAt
            screen.note("APNs took the next update \(seconds(now - killedAt)) after the kill.")
        }
        switch state {
        case .waiting, .restarted: break
        case .orphaned:
            guard now - askedAt >= Self.askMilliseconds else { return }
            askedAt = now
            guard let owner = owner(), owner.name != victim, owner.isActive else { return }
            (state, successor, servedAt) = (.served, owner.name, Clock.bootMilliseconds())
            screen.note(
                "\(owner.name) took over \(seconds(Clock.bootMilliseconds() - killedAt)) after the kill "
                    + "(epoch \(owner.epoch)); it had a copy of everything that was acknowledged.")
        case .served:
            guard let servedAt, gapMilliseconds != nil, now - servedAt >= Self.restMilliseconds else { return }
            try restart()
        }
    }

    /// Brings the killed node back, at the latest when the match is over.
    func restart() throws(Fault) {
        guard hasKilled, state != .restarted else { return }
        state = .restarted
        try cluster.start(victim)
        screen.note("\(victim) is started again: it catches up and takes its share.")
    }

    /// Waits until all nodes say that the cluster is whole; why not, when it is not in time.
    func waitForHealth(withinMilliseconds limit: Int64) -> [String] {
        let deadline = Clock.bootMilliseconds() + limit
        while true {
            let health = ClusterHealth(circle.ask(.status))
            if health.isHealthy || Clock.bootMilliseconds() >= deadline { return health.reasons }
            Waiting.pause(milliseconds: 200)
        }
    }

    func close() { circle.close() }

    private func owner() -> (name: String, epoch: Int64, isActive: Bool)? {
        let answers = circle.ask(.shards(of: target), except: hasKilled && state != .restarted ? [victim] : [])
        guard let view = ShardView(answers, answers.compactMap(\.document)), let key = view.key else { return nil }
        return (key.owner, key.epoch, key.state == "active")
    }

    private func seconds(_ milliseconds: Int64) -> String { Humanised.duration(milliseconds: milliseconds) }
}
