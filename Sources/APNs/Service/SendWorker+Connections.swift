internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// Connections: what the pools want done with them, and what they say.
extension SendWorker {
    /// Makes the origins of an app: one, or two where broadcasts have a host of their own.
    func addOrigins(_ context: AppContext) {
        let device = Outlet(app: context.index, broadcast: false)
        let broadcast = Outlet(app: context.index, broadcast: true)
        let apart = context.app.broadcastEndpoint != context.app.send
        originOfOutlet += [origins.count, origins.count + (apart ? 1 : 0)]
        addOrigin(context, context.app.send, apart ? [device] : [device, broadcast])
        if apart { addOrigin(context, context.app.broadcastEndpoint, [broadcast]) }
    }

    private func addOrigin(_ context: AppContext, _ endpoint: APNsEndpoint, _ outlets: [Outlet]) {
        let app = context.app
        var pool = PoolSettings()
        let share = app.connections / settings.loops + (loop.number < app.connections % settings.loops ? 1 : 0)
        pool.connectionsMax = max(1, share)
        pool.streamsMax = app.streamsPerConnection
        pool.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
        pool.drainTimeoutMilliseconds = settings.requestTimeoutMilliseconds + 5000
        pool.churn = Budget(
            capacity: app.connectionBurst, refillMillitokensPerSecond: max(1, app.connectionsPerMinute * 1000 / 60))
        origins.append(
            Origin(
                context: context, endpoint: endpoint, outlets: outlets,
                pool: ConnectionPool(settings: pool, seed: identifiers.nextHalves().0, now: now)))
    }

    func runPoolEffects(_ index: Int) {
        let origin = origins[index]
        let effects = origin.effects
        origin.effects.removeAll(keepingCapacity: true)
        for effect in effects {
            switch effect {
            case .connect(let id): connect(index, id)
            case .close(let id, let reason): close(origin, id, reason)
            case .ping(let id):
                guard let link = origin.links[id] else { continue }
                link.connection.ping()
                soil(link)
            case .drain: break
            case .report(let report): say(report, origin)
            }
        }
    }

    private func connect(_ index: Int, _ id: ConnectionID) {
        let origin = origins[index]
        origin.resolving.insert(id)
        let commands = loop.commands
        let asked = resolver.resolve(origin.endpoint) { commands.post(.resolved(origin: index, id, $0)) }
        guard !asked else { return }
        origin.resolving.remove(id)
        origin.pool.closed(id, .transient, now: now, into: &origin.effects)
    }

    func resolved(_ index: Int, _ id: ConnectionID, _ result: Result<[SocketAddress], Fault>) {
        let origin = origins[index]
        guard origin.resolving.remove(id) != nil else { return }
        do throws(Fault) {
            let addresses = try result.get()
            let start = origin.rotation % max(addresses.count, 1)
            let ordered = addresses[start...] + addresses[..<start]
            lastTag += 1
            let link = Link(
                tag: lastTag, origin: index, id: id, candidates: ordered.dropFirst(),
                connection: try open(origin, ordered[ordered.startIndex]))
            origin.links[id] = link
            links[link.tag] = link
            poller.add(link.connection.descriptor, tag: link.tag, writable: true)
        } catch {
            origin.context.reporter.raise(.connection, .warning, error, app: origin.context.index)
            origin.pool.closed(id, .transient, now: now, into: &origin.effects)
        }
    }

    private func open(_ origin: Origin, _ address: SocketAddress) throws(Fault) -> ClientConnection {
        var options = ClientOptions()
        options.maxOpenStreams = origin.context.app.streamsPerConnection
        options.maxResponseBytes = 64 << 10
        return try ClientConnection(
            context: origin.context.tls, serverName: origin.context.serverName(origin.endpoint), address: address,
            options: options)
    }

    private func close(_ origin: Origin, _ id: ConnectionID, _ reason: CloseReason) {
        if reason == .connectTimeout || reason == .silent { origin.rotation += 1 }
        if origin.resolving.remove(id) != nil {
            origin.pool.closed(id, .asked, now: now, into: &origin.effects)
            return
        }
        guard let link = origin.links[id] else { return }
        if reason == .connectTimeout {
            let fault = Fault(.apnsUnreachable, "no connection in time", at: origin.endpoint.authority)
            origin.context.reporter.raise(.connection, .warning, fault, app: origin.context.index)
        }
        link.isAsked = true
        link.connection.close(into: &link.events)
        note(link)
    }

    private func say(_ report: PoolReport, _ origin: Origin) {
        let (reporter, app) = (origin.context.reporter, origin.context.index)
        switch report {
        case .credentialsRefused(let reason, _):
            reporter.raise(.token, .error, origin.context.refusal(.providerTokenRefused, reason), app: app)
        case .credentialsAccepted:
            reporter.clear(.token, saying: Fault(.apnsReachable, "the provider token is accepted again"), app: app)
        case .churnLimited:
            reporter.raise(
                .connection, .warning, Fault(.apnsConnectionsLimited, at: origin.endpoint.authority), app: app)
        case .distrusted, .trusted: break
        }
    }

    // MARK: Descriptors

    func read(_ readiness: Poller.Readiness) {
        guard let link = links[readiness.tag] else { return }
        link.connection.ready(readable: readiness.readable, writable: readiness.writable, into: &link.events)
        if readiness.readable, link.isOpen { origins[link.origin].pool.heard(link.id, now: now) }
        note(link)
        soil(link)
    }

    /// It may have events.
    func note(_ link: Link) {
        guard !link.events.isEmpty, !link.isPending else { return }
        link.isPending = true
        pending.append(link)
    }

    /// It may have something to flush.
    func soil(_ link: Link) {
        guard !link.isDirty else { return }
        link.isDirty = true
        dirty.append(link)
    }

    func watch(_ link: Link) {
        guard !link.connection.isClosed, link.connection.wantsWrite != link.waitsForWrite else { return }
        link.waitsForWrite = link.connection.wantsWrite
        poller.change(link.connection.descriptor, tag: link.tag, writable: link.waitsForWrite)
    }

    // MARK: Events

    func handle(_ link: Link) {
        var events: [ClientEvent] = []
        swap(&events, &link.events)
        for event in events { handle(event, link, origins[link.origin]) }
        if link.events.isEmpty {
            events.removeAll(keepingCapacity: true)
            swap(&events, &link.events)
        }
    }

    private func handle(_ event: ClientEvent, _ link: Link, _ origin: Origin) {
        switch event {
        case .response(let response): answered(response, link, origin)
        case .streamFailed(let tag, let failure): failed(tag, failure, link, origin)
        case .connected:
            link.isOpen = true
            soil(link)
            origin.pool.opened(link.id, limit: nil, now: now, into: &origin.effects)
            origin.context.reporter.clear(
                .connection, saying: Fault(.apnsReachable, at: origin.endpoint.authority), app: origin.context.index)
        case .peerLimit(let limit): origin.pool.peerLimit(link.id, limit, now: now, into: &origin.effects)
        case .pong: origin.pool.pong(link.id, now: now)
        case .goAway(_, let code, let debugData): leave(code, debugData, link, origin)
        case .closed(let fault): closed(fault, link, origin)
        }
    }

    private func leave(_ code: ErrorCode, _ debugData: [UInt8], _ link: Link, _ origin: Origin) {
        let reason = AnswerBody.reason(in: debugData).reason.map { Reason($0) }
        if code != .noError || reason != nil {
            let fault = Fault(.apnsGoAway, reason?.text ?? code.description, at: origin.endpoint.authority)
            origin.context.reporter.raise(.connection, .warning, fault, app: origin.context.index)
        }
        origin.pool.goAway(
            link.id, reason: reason, calm: code == .enhanceYourCalm, now: now, into: &origin.effects)
    }

    private func closed(_ fault: Fault?, _ link: Link, _ origin: Origin) {
        poller.remove(link.connection.descriptor)
        if let fault, !link.isOpen, !link.isAsked {
            if fault.code == .connectFailed, tryNext(link, origin) { return }
            origin.rotation += 1
            origin.context.reporter.raise(.connection, .warning, fault, app: origin.context.index)
        }
        links[link.tag] = nil
        origin.links[link.id] = nil
        let refused = fault?.code == .clientCertificateRefused
        let cause: CloseCause = link.isAsked ? .asked : refused ? .credentialsRefused : .transient
        origin.pool.closed(link.id, cause, now: now, into: &origin.effects)
    }

    /// A host may have addresses that do not answer, IPv6 ones for instance: go through them within one attempt.
    private func tryNext(_ link: Link, _ origin: Origin) -> Bool {
        while let address = link.candidates.popFirst() {
            guard let next = try? open(origin, address) else { continue }
            link.connection = next
            link.waitsForWrite = true
            poller.add(next.descriptor, tag: link.tag, writable: true)
            return true
        }
        return false
    }
}
