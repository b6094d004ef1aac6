public import Codes
public import Delivery
internal import Loops
internal import Telemetry

/// The APNs side of a node: takes versions of records for destinations, brings them to APNs in order, and reports
/// what became of them.
///
/// Start it once, offer batches, stop it once. Threads: `apns-0`… send, `apns-manage` manages channels,
/// those called `apns-resolver` resolve names; everything public may be called from any thread.
public final class APNsService: Sendable {
    private enum Phase {
        case fresh
        case running
        case stopped
    }

    private let settings: APNsSettings
    private let contexts: [AppContext]
    private let reporter: Reporter
    private let loops: [SendLoop]
    private let fence: SendFence
    private let management: ManagementLoop
    private let resolver = Resolver()
    private let phase = Lock(Phase.fresh)

    /// Checks the settings and loads keys and CA files; nothing is sent yet.
    ///
    /// `onNotice` gets what an operator should know, once per change of state, on any thread. Fails with the first
    /// thing that cannot work: `apns-settings-invalid`, a `provider-key-…` code, or `tls-settings`.
    public init(
        settings: APNsSettings, onNotice: @escaping @Sendable (APNsNotice) -> Void = { _ in }
    ) throws(Fault) {
        self.settings = settings
        reporter = Reporter(onNotice)
        contexts = try AppContext.make(settings, reporter)
        let fence = SendFence(openUntilBootMilliseconds: settings.leasedUntilBootMilliseconds)
        self.fence = fence
        loops = (0..<settings.loops).map { SendLoop(number: $0, settings: settings, fence: fence) }
        management = ManagementLoop(contexts: contexts, settings: settings, resolver: resolver)
    }

    /// Starts the threads. `onReports` gets what became of offers, in batches, on the threads `apns-0`…: it must not
    /// block. Call once.
    public func start(onReports: @escaping @Sendable ([LaneReport]) -> Void) {
        let first = phase.withLock { phase in
            defer { if phase == .fresh { phase = .running } }
            return phase == .fresh
        }
        guard first else { return }
        management.start()
        for loop in loops {
            loop.start(contexts: contexts, settings: settings, resolver: resolver, onReports: onReports)
        }
    }

    /// Takes a batch in, and returns what did not fit because a loop's mailbox is full or the service is stopping:
    /// offer it again later. One destination always goes to the same loop, in the order of the offers.
    public func offer(_ batch: [LaneOffer]) -> [LaneOffer] {
        if loops.count == 1 { return loops[0].offers.post(batch) ? [] : batch }
        var shares = [[LaneOffer]](repeating: [], count: loops.count)
        for offer in batch { shares[loop(of: offer.destination)].append(offer) }
        var rest: [LaneOffer] = []
        for (index, share) in shares.enumerated() where !loops[index].offers.post(share) { rest += share }
        return rest
    }

    /// Sending is allowed until then; a past time stops it at once. What waits goes on waiting, and a connection with
    /// requests that have not left is closed rather than let them leave too late.
    public func lease(untilBootMilliseconds deadline: Int64) {
        fence.set(openUntilBootMilliseconds: deadline)
        for loop in loops { loop.thread.wakeup.signal() }
    }

    /// Forgets everything of these tickets that was offered before: nothing of it is sent or reported any more, except
    /// that what is under way may still arrive. False when a loop could not be told: say it again.
    public func withdraw(tickets: [UInt64]) -> Bool {
        guard !tickets.isEmpty else { return true }
        var isTaken = true
        for loop in loops {
            isTaken = loop.commands.post(.withdraw(tickets: tickets, position: loop.offers.posted)) && isTaken
        }
        return isTaken
    }

    /// FNV-1a over the address: the same in every run, so that a restart finds its way in old logs.
    private func loop(of destination: Destination) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(destination.app)
        for byte in destination.address { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int((hash >> 32) % UInt64(loops.count))
    }

    /// Carries out a channel operation of an app and returns what came of it, within connection and request time-out
    /// together.
    ///
    /// Fails with a code of area A or H; `apns-answer-lost` means that a create may have made a channel.
    public func manage(_ operation: ChannelOperation, app: UInt16) async throws(Fault) -> ChannelAnswer {
        guard phase.withLock({ $0 }) == .running else { throw Fault(.apnsStopped) }
        return try await management.perform(operation, app: app)
    }

    /// Requests under way on all loops, at most a tenth of a second ago.
    public var inFlight: Int { loops.reduce(0) { $0 + $1.figures.withLock(\.inFlight) } }

    /// Whether any app's host can be reached, on any loop.
    public var reach: Reach { loops.reduce(.idle) { $0.merged(with: $1.reach.withLock { $0 }) } }

    /// What was done so far.
    public func statistics() -> APNsStatistics {
        let snapshots = loops.map { loop in loop.figures.withLock { $0 } }
        var statistics = APNsStatistics()
        statistics.clockSkewSeconds = reporter.skewSeconds
        statistics.loops = zip(loops, snapshots).map { loop, figures in
            APNsStatistics.Loop(
                offersWaiting: loop.offers.count, lanes: figures.lanes, counters: figures.counters)
        }
        let boot = Clock.bootMilliseconds()
        statistics.apps = contexts.map { context in
            Self.sum(snapshots.flatMap(\.apps).filter { $0.index == context.index }, context, boot)
        }
        return statistics
    }

    private static func sum(_ parts: [LoopFigures.App], _ context: AppContext, _ boot: Int64) -> APNsStatistics.App {
        var app = APNsStatistics.App()
        var figures = AppFigures()
        for part in parts {
            figures.merge(part.figures)
            app.connections += part.connections
            app.connects += part.pool.connects
            app.failedConnects += part.pool.failedConnects
            app.goAways += part.pool.goAways
        }
        app.requests = figures.requests
        app.accepted = figures.accepted
        app.refused = figures.refusals
        app.unprocessed = figures.unprocessed
        app.answersLost = figures.answersLost
        app.timeouts = figures.timeouts
        app.heldBack = figures.heldBack
        app.latencyNanosecondsP50 = figures.latency.percentile(0.5)
        app.latencyNanosecondsP99 = figures.latency.percentile(0.99)
        let token = context.tokens.figures(bootMilliseconds: boot)
        app.tokenAgeMilliseconds = token.ageMilliseconds
        app.tokensSigned = token.signings
        return app
    }

    /// Ends the service: offers are refused, requests under way may finish within `deadlineMilliseconds`, what still
    /// waits is left to the store. Blocks until the sending threads have ended; the last reports come before it
    /// returns.
    public func stop(deadlineMilliseconds: Int64) {
        let wasRunning = phase.withLock { phase in
            defer { phase = .stopped }
            return phase == .running
        }
        guard wasRunning else { return }
        let deadline = Clock.bootMilliseconds() + max(0, deadlineMilliseconds)
        for loop in loops { loop.stop(deadlineMilliseconds: deadline) }
        for loop in loops { loop.wait() }
        management.stop()
        resolver.stop()
    }
}
