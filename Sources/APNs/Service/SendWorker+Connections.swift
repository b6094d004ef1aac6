internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// Connections: what the pools want done with them, and what they say.
extension SendWorker {
    /// Makes the origins of an app: one, or two where broadcasts have a host of their own.
    mutating func addOrigins(_ context: AppContext) {
        let device = Outlet(app: context.index, broadcast: false)
        let broadcast = Outlet(app: context.index, broadcast: true)
        let apart = context.app.broadcastEndpoint != context.app.send
        originOfOutlet += [origins.count, origins.count + (apart ? 1 : 0)]
        addOrigin(context, context.app.send, apart ? [device] : [device, broadcast])
        if apart { addOrigin(context, context.app.broadcastEndpoint, [broadcast]) }
    }

    private mutating func addOrigin(_ context: AppContext, _ endpoint: APNsEndpoint, _ outlets: [Outlet]) {
        let app = context.app
        var pool = PoolSettings()
        let share = app.connections / settings.loops + (loop.number < app.connections % settings.loops ? 1 : 0)
        pool.connectionsMax = max(1, share)
        pool.streamsMax = app.streamsPerConnection
        pool.connectTimeoutMilliseconds = settings.connectTimeoutMilliseconds
        pool.pingAfterIdleMilliseconds = settings.pingAfterIdleMilliseconds
        pool.pingAfterSilenceMilliseconds = settings.pingAfterSilenceMilliseconds
        pool.pongTimeoutMilliseconds = settings.pongTimeoutMilliseconds
        pool.drainTimeoutMilliseconds = settings.requestTimeoutMilliseconds + 5000
        pool.churn = Budget(
            capacity: app.connectionBurst, refillMillitokensPerSecond: max(1, app.connectionsPerMinute * 1000 / 60))
        origins.append(
            Origin(
                context: context, endpoint: endpoint, outlets: outlets,
                pool: ConnectionPool(settings: pool, seed: identifiers.nextHalves().0, now: now)))
    }

    mutating func runPoolEffects(_ index: Int) {
        isUnpublished = true
        let effects = origins[index].effects
        origins[index].effects.removeAll(keepingCapacity: true)
        for effect in effects {
            switch effect {
            case .connect(let id): connect(index, id)
            case .close(let id, let reason): close(index, id, reason)
            case .ping(let id):
                guard let link = origins[index].link(id) else { continue }
                link.connection.ping()
                soil(link)
            case .drain: break
            case .report(let report): say(report, origins[index])
            }
        }
    }

    private mutating func connect(_ index: Int, _ id: ConnectionID) {
        origins[index].resolving.insert(id)
        let commands = loop.commands
        let asked = resolver.resolve(origins[index].endpoint) { commands.post(.resolved(origin: index, id, $0)) }
        guard !asked else { return }
        origins[index].resolving.remove(id)
        origins[index].closed(id, .transient, now)
    }

    mutating func resolved(_ index: Int, _ id: ConnectionID, _ result: Result<[SocketAddress], Fault>) {
        guard origins[index].resolving.remove(id) != nil else { return }
        let origin = origins[index]
        do throws(Fault) {
            let addresses = try result.get()
            let start = origin.rotation % max(addresses.count, 1)
            let ordered = addresses[start...] + addresses[..<start]
            lastTag += 1
            let link = Link(
                tag: lastTag, origin: index, id: id, candidates: ordered.dropFirst(),
                connection: try open(origin, ordered[ordered.startIndex]))
            origins[index].links.append(link)
            links[link.tag] = link
            poller.add(link.connection.descriptor, tag: link.tag, writable: true)
        } catch {
            origin.context.reporter.raise(.connection, .warning, error, app: origin.context.index)
            origins[index].closed(id, .transient, now)
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

    private mutating func close(_ index: Int, _ id: ConnectionID, _ reason: CloseReason) {
        if reason == .connectTimeout || reason == .silent { origins[index].rotation += 1 }
        if origins[index].resolving.remove(id) != nil {
            origins[index].closed(id, .asked, now)
            return
        }
        guard let link = origins[index].link(id) else { return }
        if reason == .connectTimeout {
            let fault = Fault(.apnsUnreachable, "no connection in time", at: origins[index].endpoint.authority)
            let context = origins[index].context
            context.reporter.raise(.connection, .warning, fault, app: context.index)
        }
        end(link)
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

    mutating func read(_ readiness: Poller.Readiness) {
        guard let link = links[readiness.tag] else { return }
        link.connection.ready(readable: readiness.readable, writable: readiness.writable, into: &link.events)
        if readiness.readable, link.isOpen { origins[link.origin].pool.heard(link.id, now: now) }
        note(link)
        soil(link)
    }

    /// The last look before bytes leave: without a lease no request may, and what was encrypted already cannot be
    /// taken out of the connection again.
    mutating func holdBack(_ link: Link?) {
        guard let link, !loop.fence.isOpen, link.connection.hasUnsentRequests else { return }
        origins[link.origin].figures.heldBack += 1
        link.isAsked = true
        link.connection.abandon(into: &link.events)
        note(link)
    }

    /// Ends a connection, with a goodbye if that carries no request that may not leave.
    mutating func end(_ link: Link) {
        holdBack(link)
        guard !link.connection.isClosed else { return }
        link.isAsked = true
        link.connection.close(into: &link.events)
        note(link)
    }

    /// It may have events.
    mutating func note(_ link: Link) {
        guard !link.events.isEmpty, !link.isPending else { return }
        link.isPending = true
        pending.append(link)
    }

    /// It may have something to flush.
    mutating func soil(_ link: Link) {
        guard !link.isDirty else { return }
        link.isDirty = true
        dirty.append(link)
    }

    mutating func watch(_ link: Link) {
        guard !link.connection.isClosed, link.connection.wantsWrite != link.waitsForWrite else { return }
        link.waitsForWrite = link.connection.wantsWrite
        poller.change(link.connection.descriptor, tag: link.tag, writable: link.waitsForWrite)
    }

    // MARK: Events

    mutating func handle(_ link: Link) {
        var events: [ClientEvent] = []
        swap(&events, &link.events)
        for event in events { handle(event, link, link.origin) }
        if link.events.isEmpty {
            events.removeAll(keepingCapacity: true)
            swap(&events, &link.events)
        }
    }

    private mutating func handle(_ event: ClientEvent, _ link: Link, _ at: Int) {
        switch event {
        case .response(let response): answered(response, link, at)
        case .streamFailed(let tag, let failure): failed(tag, failure, link, at)
        case .connected:
            link.isOpen = true
            isUnpublished = true
            soil(link)
            origins[at].opened(link.id, now)
            let context = origins[at].context
            context.reporter.clear(
                .connection, saying: Fault(.apnsReachable, at: origins[at].endpoint.authority), app: context.index)
        case .peerLimit(let limit):
            origins[at].peerLimit(link.id, limit, now)
        case .pong: origins[at].pool.pong(link.id, now: now)
        case .goAway(_, let code, let debugData): leave(code, debugData, link, at)
        case .closed(let fault): closed(fault, link, at)
        }
    }

    private mutating func leave(_ code: ErrorCode, _ debugData: [UInt8], _ link: Link, _ at: Int) {
        let reason = AnswerBody.reason(in: debugData).reason.map { Reason($0) }
        if code != .noError || reason != nil {
            let fault = Fault(.apnsGoAway, reason?.text ?? code.description, at: origins[at].endpoint.authority)
            let context = origins[at].context
            context.reporter.raise(.connection, .warning, fault, app: context.index)
        }
        origins[at].goAway(link.id, reason, calm: code == .enhanceYourCalm, now)
    }

    private mutating func closed(_ fault: Fault?, _ link: Link, _ at: Int) {
        poller.remove(link.connection.descriptor)
        if let fault, !link.isOpen, !link.isAsked {
            if fault.code == .connectFailed, tryNext(link, origins[at]) { return }
            origins[at].rotation += 1
            let context = origins[at].context
            context.reporter.raise(.connection, .warning, fault, app: context.index)
        }
        isUnpublished = true
        links[link.tag] = nil
        origins[at].links.removeAll { $0 === link }
        let refused = fault?.code == .clientCertificateRefused
        let cause: CloseCause = link.isAsked ? .asked : refused ? .credentialsRefused : .transient
        origins[at].closed(link.id, cause, now)
    }

    /// A host may have addresses that do not answer, IPv6 ones for instance: go through them within one attempt.
    private mutating func tryNext(_ link: Link, _ origin: Origin) -> Bool {
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
