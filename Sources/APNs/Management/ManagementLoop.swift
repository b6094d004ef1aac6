internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// The thread for channel operations, apart from sending: other hosts, other ports, and lists of 270 kB to read.
///
/// Threads: `perform` from any task; the sessions live on the thread `apns-manage`.
final class ManagementLoop: Sendable {
    private enum Command: Sendable {
        case perform(ChannelJob)
        case resolved(session: UInt64, Result<[SocketAddress], Fault>)
    }

    private static let commandsMax = 10_000

    private let contexts: [AppContext]
    private let settings: APNsSettings
    private let resolver: Resolver
    private let thread: LoopThread
    private let commands: Mailbox<Command>
    private let stopping = Lock(false)

    init(contexts: [AppContext], settings: APNsSettings, resolver: Resolver) {
        self.contexts = contexts
        self.settings = settings
        self.resolver = resolver
        thread = LoopThread(name: "apns-manage")
        commands = Mailbox(capacity: Self.commandsMax, wakeup: thread.wakeup)
    }

    func start() { thread.start { [self] in run() } }

    /// Fails what is under way and ends the thread.
    func stop() {
        stopping.withLock { $0 = true }
        commands.close()
        thread.wakeup.signal()
        thread.join()
        var rest: [Command] = []
        commands.take(into: &rest)
        for case .perform(let job) in rest { job.fail(Fault(.apnsStopped)) }
    }

    /// Carries out one operation. Fails with a code of area A or H.
    func perform(_ operation: ChannelOperation, app: UInt16) async throws(Fault) -> ChannelAnswer {
        guard Int(app) < contexts.count else { throw Fault(.unknownApp) }
        switch operation {
        case .read(let channelID), .delete(let channelID):
            guard ChannelID.isValid(channelID) else { throw Fault(.badChannelID) }
        case .create, .list: break
        }
        let time = settings.connectTimeoutMilliseconds + settings.requestTimeoutMilliseconds
        let result = await withCheckedContinuation { (completion: ChannelJob.Completion) in
            let job = ChannelJob(
                operation: operation, app: app, deadlineMilliseconds: Clock.bootMilliseconds() + time,
                completion: completion)
            if !commands.post(.perform(job)) { job.fail(Fault(.apnsStopped)) }
        }
        return try result.get()
    }

    private func run() {
        let poller = Poller()
        poller.add(thread.wakeup.descriptor, tag: .max)
        let sessions = makeSessions(poller)
        let byApp = Dictionary(
            sessions.flatMap { pair in pair.apps.map { ($0, pair.session) } }, uniquingKeysWith: { first, _ in first })
        var batch: [Command] = []
        while !stopping.withLock({ $0 }) {
            let next = sessions.compactMap { $0.session.nextDeadline }.min()
            let wait = next.map { max(0, min($0 - Clock.bootMilliseconds(), 60_000)) } ?? 60_000
            var ready: [Poller.Readiness] = []
            poller.wait(milliseconds: Int32(wait)) { ready.append($0) }
            let now = Moment.now()
            for readiness in ready where readiness.tag < UInt64(sessions.count) {
                sessions[Int(readiness.tag)].session.ready(readiness, now)
            }
            thread.wakeup.clear()
            commands.take(into: &batch)
            for command in batch {
                switch command {
                case .perform(let job): byApp[job.app]?.add(job)
                case .resolved(let number, let result): sessions[Int(number)].session.resolved(result, now)
                }
            }
            for pair in sessions { pair.session.advance(now) }
        }
        let now = Moment.now()
        for pair in sessions { pair.session.stop(now) }
    }

    /// Apps share a session when host, trust, team and key are the same: a connection belongs to one team
    /// (Docs/APNs.md 1.6).
    private struct SessionKey: Hashable {
        var endpoint: APNsEndpoint
        var serverName: String
        var caFile: String?
        var keyID: String
        var teamID: String
    }

    private func makeSessions(_ poller: Poller) -> [(session: ManagementSession, apps: [UInt16])] {
        var order: [SessionKey] = []
        var groups: [SessionKey: [AppContext]] = [:]
        for context in contexts {
            let app = context.app
            let key = SessionKey(
                endpoint: app.manage, serverName: context.serverName(app.manage), caFile: app.caFile,
                keyID: app.keyID, teamID: app.teamID)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(context)
        }
        return order.enumerated().map { index, key in
            let members = groups[key] ?? []
            let session = ManagementSession(
                number: UInt64(index), endpoint: key.endpoint, contexts: members, settings: settings, poller: poller
            ) { [resolver, commands] session in
                let number = session.number
                return resolver.resolve(session.endpoint) { commands.post(.resolved(session: number, $0)) }
            }
            return (session, members.map(\.index))
        }
    }
}

extension Moment {
    /// Both clocks, read now.
    static func now() -> Moment {
        Moment(wallMilliseconds: Clock.wallMilliseconds(), bootMilliseconds: Clock.bootMilliseconds())
    }
}
