internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// The one connection to a management host for the apps of one team and key: opened when there is something to ask,
/// closed after a minute without.
///
/// Threads: one, the management loop.
final class ManagementSession {
    private enum Phase {
        case closed
        case resolving
        case connecting
        case open
    }

    /// Jobs that may wait or be under way; more are refused.
    static let jobsMax = 1000
    private static let attemptsMax = 3
    private static let idleMilliseconds: Int64 = 60_000
    private static let reconnectMilliseconds: Int64 = 1000

    /// Number of the session on its loop, the tag of its descriptor.
    let number: UInt64
    let endpoint: APNsEndpoint
    private let contexts: [AppContext]
    private let settings: APNsSettings
    private let poller: Poller
    private let ask: (ManagementSession) -> Bool

    private var phase = Phase.closed
    private var connection: ClientConnection?
    /// Addresses of the host that are still to be tried in this attempt.
    private var candidates: ArraySlice<SocketAddress> = []
    /// Where to begin in the list of addresses; moves on when one does not answer.
    private var rotation = 0
    private var waitsForWrite = false
    private var phaseSince: Int64 = 0
    private var lastUse: Int64 = 0
    private var retryAt: Int64 = 0
    /// A request with our token was answered: more than one stream may be used.
    private var proven = false
    private var waiting: [ChannelJob] = []
    private var underWay: [UInt64: ChannelJob] = [:]
    private var tag: UInt64 = 0
    private var identifiers = RequestIdentifiers()
    private var events: [ClientEvent] = []

    /// `ask` starts the resolver for this session and says whether it could.
    init(
        number: UInt64, endpoint: APNsEndpoint, contexts: [AppContext], settings: APNsSettings, poller: Poller,
        ask: @escaping (ManagementSession) -> Bool
    ) {
        self.number = number
        self.endpoint = endpoint
        self.contexts = contexts
        self.settings = settings
        self.poller = poller
        self.ask = ask
    }

    var isIdle: Bool { waiting.isEmpty && underWay.isEmpty }

    /// Takes a job in; it is answered in any case.
    func add(_ job: ChannelJob) {
        guard waiting.count + underWay.count < Self.jobsMax else { return job.fail(Fault(.apnsManagementFull)) }
        var job = job
        job.identifier = RequestIdentifiers.text(identifiers.nextHalves())
        waiting.append(job)
    }

    /// Does what is due. Call once per turn, after everything else.
    func advance(_ now: Moment) {
        expire(now)
        switch phase {
        case .closed: if !waiting.isEmpty, now.bootMilliseconds >= retryAt { open(now) }
        case .resolving, .connecting:
            if now.bootMilliseconds - phaseSince > settings.connectTimeoutMilliseconds {
                lose(Fault(.apnsUnreachable, "no connection in time", at: endpoint.authority), now)
            }
        case .open:
            submit(now)
            if isIdle, now.bootMilliseconds - lastUse > Self.idleMilliseconds { connection?.shutdown() }
        }
        flush(now)
    }

    /// The next time at which something is due, in milliseconds since boot.
    var nextDeadline: Int64? {
        var next = (waiting + underWay.values).map(\.deadlineMilliseconds).min()
        func consider(_ time: Int64) { next = min(next ?? time, time) }
        switch phase {
        case .closed: if !waiting.isEmpty { consider(retryAt) }
        case .resolving, .connecting: consider(phaseSince + settings.connectTimeoutMilliseconds + 1)
        case .open: if isIdle { consider(lastUse + Self.idleMilliseconds + 1) }
        }
        return next
    }

    /// Fails everything and closes.
    func stop(_ now: Moment) {
        for job in waiting + underWay.values { job.fail(Fault(.apnsStopped)) }
        waiting = []
        underWay = [:]
        connection?.close(into: &events)
        handle(now)
    }

    // MARK: Connecting

    private func open(_ now: Moment) {
        enter(.resolving, now)
        proven = false
        if !ask(self) { lose(Fault(.apnsUnreachable, "too many names to resolve", at: endpoint.authority), now) }
    }

    /// The resolver's answer.
    func resolved(_ result: Result<[SocketAddress], Fault>, _ now: Moment) {
        guard phase == .resolving else { return }
        do throws(Fault) {
            let addresses = try result.get()
            let start = rotation % max(addresses.count, 1)
            candidates = addresses[start...] + addresses[..<start]
            enter(.connecting, now)
            try connectToNext()
        } catch {
            lose(error, now)
        }
    }

    /// A host may have addresses that do not answer: those that refuse at once are gone through within one attempt.
    private func connectToNext() throws(Fault) {
        var trouble = Fault(.apnsUnreachable, "no address", at: endpoint.authority)
        while let address = candidates.popFirst() {
            let context = contexts[0]
            do throws(Fault) {
                let made = try ClientConnection(
                    context: context.tls, serverName: context.serverName(endpoint), address: address)
                connection = made
                waitsForWrite = true
                poller.add(made.descriptor, tag: number, writable: true)
                return
            } catch {
                trouble = error
            }
        }
        throw trouble
    }

    /// The poller reported the descriptor.
    func ready(_ readiness: Poller.Readiness, _ now: Moment) {
        connection?.ready(readable: readiness.readable, writable: readiness.writable, into: &events)
        handle(now)
    }

    private func flush(_ now: Moment) {
        connection?.flush(into: &events)
        handle(now)
        guard let connection, connection.wantsWrite != waitsForWrite else { return }
        waitsForWrite = connection.wantsWrite
        poller.change(connection.descriptor, tag: number, writable: waitsForWrite)
    }

    private func enter(_ phase: Phase, _ now: Moment) {
        self.phase = phase
        phaseSince = now.bootMilliseconds
        lastUse = now.bootMilliseconds
    }

    /// No connection, or no more: what waits would wait in vain, so it hears why at once.
    private func lose(_ fault: Fault, _ now: Moment) {
        drop()
        rotation += 1
        retryAt = now.bootMilliseconds + Self.reconnectMilliseconds
        contexts[0].reporter.raise(.management, .warning, fault, app: contexts[0].index)
        for job in waiting { job.fail(fault) }
        waiting = []
    }

    private func drop() {
        if let connection {
            poller.remove(connection.descriptor)
            if !connection.isClosed {
                var rest: [ClientEvent] = []
                connection.close(into: &rest)
                events += rest.filter { if case .closed = $0 { false } else { true } }
            }
        }
        connection = nil
        phase = .closed
    }

    // MARK: Requests

    private func submit(_ now: Moment) {
        guard let connection else { return }
        while let job = waiting.first, connection.canSubmit, proven || underWay.isEmpty {
            guard case .token(let token) = contexts[Int(place(of: job))].tokens.current(now) else {
                waiting.removeFirst()
                job.fail(Fault(.providerTokenRefused, "no new token may be signed yet", at: endpoint.authority))
                continue
            }
            waiting.removeFirst()
            send(job, token, connection)
        }
    }

    private func send(_ job: ChannelJob, _ token: ProviderToken, _ connection: ClientConnection) {
        var job = job
        job.attempts += 1
        job.tokenGeneration = token.generation
        let requests = ManagementRequests(app: context(of: job).app, token: token)
        tag += 1
        if connection.submit(requests.request(job.operation, identifier: job.identifier), tag: tag) {
            underWay[tag] = job
        } else {
            waiting.insert(job, at: 0)
        }
    }

    private func place(of job: ChannelJob) -> Int { contexts.firstIndex { $0.index == job.app } ?? 0 }
    private func context(of job: ChannelJob) -> AppContext { contexts[place(of: job)] }

    private func expire(_ now: Moment) {
        let overdue = { (job: ChannelJob) in job.deadlineMilliseconds <= now.bootMilliseconds }
        for job in waiting where overdue(job) { job.fail(Fault(.apnsTimeout, at: endpoint.authority)) }
        waiting.removeAll(where: overdue)
        for (tag, job) in underWay where overdue(job) {
            underWay[tag] = nil
            connection?.cancel(tag: tag)
            job.fail(Fault(job.isIdempotent ? .apnsTimeout : .apnsAnswerLost, "time-out", at: endpoint.authority))
        }
    }

    // MARK: Events

    private func handle(_ now: Moment) {
        while !events.isEmpty {
            let batch = events
            events = []
            for event in batch { handle(event, now) }
        }
    }

    private func handle(_ event: ClientEvent, _ now: Moment) {
        switch event {
        case .connected:
            enter(.open, now)
            contexts[0].reporter.clear(
                .management, saying: Fault(.apnsReachable, at: endpoint.authority), app: contexts[0].index)
            submit(now)
        case .response(let response): answered(response, now)
        case .streamFailed(let tag, let failure): failed(tag, failure)
        case .closed(let fault): closed(fault, now)
        case .peerLimit, .goAway, .pong: break
        }
    }

    private func answered(_ response: ClientResponse, _ now: Moment) {
        lastUse = now.bootMilliseconds
        guard let job = underWay.removeValue(forKey: response.tag) else { return }
        let context = context(of: job)
        if let date = response.headers["date"] {
            context.reporter.observe(date: date, wallMilliseconds: now.wallMilliseconds)
        }
        let verdict = AnswerClassifier.classify(job.kind, AnswerReader.answer(response))
        context.judge(verdict, tokenGeneration: job.tokenGeneration, now)
        if verdict.provesCredentials {
            proven = true
            context.tokens.accepted(generation: job.tokenGeneration)
        }
        if verdict.closesConnection { connection?.shutdown() }
        if verdict.isAccepted {
            job.completion.resume(returning: job.read(response, place: endpoint.authority))
        } else if verdict.pace == .immediately, job.attempts < Self.attemptsMax {
            waiting.insert(job, at: 0)
        } else {
            job.fail(job.refusal(verdict, context))
        }
    }

    private func failed(_ tag: UInt64, _ failure: StreamFailure) {
        guard let job = underWay.removeValue(forKey: tag) else { return }
        let again = job.attempts < Self.attemptsMax
        switch failure {
        case .unprocessed where again: waiting.insert(job, at: 0)
        case .unknown where again && job.isIdempotent: waiting.insert(job, at: 0)
        case .unprocessed: job.fail(Fault(.apnsBusy, "refused \(job.attempts) times", at: endpoint.authority))
        case .unknown(let code): job.fail(Fault(.apnsAnswerLost, code.description, at: endpoint.authority))
        case .responseTooLarge: job.fail(Fault(.apnsAnswerUnreadable, "too large", at: endpoint.authority))
        }
    }

    private func closed(_ fault: Fault?, _ now: Moment) {
        let former = phase
        drop()
        if former == .open { return }
        var trouble = fault ?? Fault(.apnsUnreachable, at: endpoint.authority)
        if former == .connecting, trouble.code == .connectFailed, !candidates.isEmpty {
            do throws(Fault) {
                try connectToNext()
                phase = .connecting
                return
            } catch {
                trouble = error
            }
        }
        lose(trouble, now)
    }
}
