internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Loops
internal import Messaging
internal import Telemetry
internal import Wire

/// Ingest: a producer's message arrives; it is authenticated, decoded, allowed and inspected. A clear refusal, or on it
/// goes.
extension CoreLoop {
    /// Most messages taken in one turn, so that commits and answers are never far away.
    static let ingestBudget = 512
    /// Messages after which the control plane is looked at again.
    static let ingestMuch = 64
    /// After this time a node that cannot serve answers all the same, in milliseconds.
    static let openWithinMilliseconds: Int64 = 3_000

    /// Takes what waits on the producers' socket; whether it was much, so that others wait by now.
    func ingest(now: Moment) -> Bool {
        port.maintain(now: now.bootMilliseconds)
        guard opens(now: now), producersWait else { return false }
        let allowed = allowList?.snapshot
        let taken = port.receive(budget: Self.ingestBudget) { message in take(message, allowed, now: now) }
        return taken >= Self.ingestMuch
    }

    /// A node that has just started takes nothing before it can serve: callers wait the moment that this takes instead
    /// of being told to come again. Not for ever, so that one that cannot join can be asked why.
    private func opens(now: Moment) -> Bool {
        if isOpen { return true }
        isOpen = core.isServing(now: now) || now.wallMilliseconds - startedAtMilliseconds > Self.openWithinMilliseconds
        return isOpen
    }

    private func take(_ message: Multipart, _ allowed: AllowList.Snapshot?, now: Moment) {
        counters.messages += 1
        switch ProducerMessage.decode(message.frames) {
        case .failure(let fault):
            counters.undecodable += 1
            refuseUndecodable(fault, message)
        case .success(.hello(let hello)): open(hello, message, allowed, now: now)
        case .success(let request):
            guard let session = sessions.session(of: message.identity) else {
                return answer(.nack(Nack(.helloRequired, sequence: request.sequence)), to: message.identity)
            }
            guard authorise(session, allowed, now: now) else {
                return answer(.nack(Nack(.notAllowed, sequence: request.sequence)), to: message.identity)
            }
            take(request, from: session, now: now)
        }
    }

    /// A publish that cannot be read is answered like one that can: its producer counts it against its credit.
    private func refuseUndecodable(_ fault: WireFault, _ message: Multipart) {
        answer(.nack(Nack(fault)), to: message.identity)
    }

    private func open(_ hello: Hello, _ message: Multipart, _ allowed: AllowList.Snapshot?, now: Moment) {
        let role = allowed.map { $0.role(of: message.userID) } ?? .admin
        guard let role, role != .node else {
            return answer(.nack(Nack(.notAllowed, sequence: hello.sequence)), to: message.identity)
        }
        let session = Session(
            identity: message.identity, userID: message.userID, role: role, checkedGeneration: allowed?.generation ?? 0,
            credit: NodeCredit(credit: backpressure.credit), heardAtMilliseconds: now.bootMilliseconds)
        guard sessions.open(session, now: now.bootMilliseconds) else {
            let text = "\(sessions.capacity) producers are connected"
            return answer(
                .nack(Nack(.overloaded, sequence: hello.sequence, detail: text, retryMilliseconds: 5000)),
                to: message.identity)
        }
        answer(
            .ready(
                Ready(
                    sequence: hello.sequence, node: nodeName, software: "carillon " + CarillonNode.version,
                    cluster: settings.cluster.name, producer: session.user, role: role.rawValue,
                    credit: backpressure.credit, capabilities: ["receipts", "tokens", "channels", "batch", "starts"])),
            to: message.identity)
    }

    /// Whether the certificate still stands; removing it does not end the connections that it opened.
    private func authorise(_ session: Session, _ allowed: AllowList.Snapshot?, now: Moment) -> Bool {
        session.heardAtMilliseconds = now.bootMilliseconds
        guard let allowed, session.checkedGeneration != allowed.generation else { return true }
        guard let role = allowed.role(of: session.userID), role != .node else {
            counters.revoked += 1
            sessions.close(session)
            return false
        }
        session.role = role
        session.checkedGeneration = allowed.generation
        return true
    }

    private func take(_ request: ProducerMessage, from session: Session, now: Moment) {
        if request.needsAdmin, session.role != .admin {
            return answer(.nack(Nack(.notAllowed, sequence: request.sequence)), to: session.identity)
        }
        switch request {
        case .publish(let publish): self.publish(publish, session, now: now)
        case .batch(let batch): takeItems(of: batch, from: session, now: now)
        case .ping(let sequence):
            answer(.pong(sequence: sequence, nowMilliseconds: now.wallMilliseconds), to: session.identity)
        case .bye(let sequence):
            answer(.bye(sequence: sequence), to: session.identity)
            sessions.close(session)
        case .nodeStatus(let query):
            answer(
                .nodeStatus(sequence: query.sequence, document: document(query.subject, now: now)),
                to: session.identity)
        case .recover(let recovery): recover(recovery, session, now: now)
        default: route(request, session, now: now)
        }
    }

    /// Each request of a batch is taken and answered as if it had come alone.
    private func takeItems(of batch: Batch, from session: Session, now: Moment) {
        counters.batches += 1
        for item in batch.items {
            switch item {
            case .success(let request): take(request, from: session, now: now)
            case .failure(let fault):
                counters.undecodable += 1
                answer(.nack(Nack(fault)), to: session.identity)
            }
        }
    }

    private func publish(_ publish: Publish, _ session: Session, now: Moment) {
        guard session.credit.takePublish() else {
            counters.overCredit += 1
            let nack = Nack(
                .overloaded, sequence: publish.sequence, detail: "beyond the credit", retryMilliseconds: 100)
            return answer(.nack(nack), to: session.identity)
        }
        if let nack = inspect(publish, session, now: now) {
            counters.refused += 1
            session.credit.answerPublish()
            return answer(.nack(nack), to: session.identity)
        }
    }

    /// Checks what the publish says and what it carries; hands it to Route, or returns why not.
    private func inspect(_ publish: Publish, _ session: Session, now: Moment) -> Nack? {
        let sequence = publish.sequence
        guard phase.takesEvents else { return Nack(.draining, sequence: sequence, retryMilliseconds: 1000) }
        guard let app = appIndex(publish.target.name.appBytes) else {
            return Nack(.unknownApp, sequence: sequence, field: "app")
        }
        let key = publish.target.name
        guard
            access.allows(
                user: session.user, role: session.role, app: settings.apps[Int(app)].name, name: key.ownNameBytes)
        else { return Nack(.notAllowed, sequence: sequence, field: "app") }
        if let nack = refusal(ofPlaces: publish, app, session) { return nack }
        let kind: RequestKind =
            key.kind == .channel ? .broadcast : publish.event == .start ? .start : .device
        let linter = schemas.linter(app: app, name: key.ownNameBytes)
        let report = linter.lint(publish.payload.span, as: kind, nowMilliseconds: now.wallMilliseconds)
        if let error = report.firstError { return refusal(error, report, publish) }
        guard let event = report.event, let layout = report.layout else {
            return Nack(.lintFailed, sequence: sequence)
        }
        guard publish.event == nil || publish.event == event else {
            return Nack(
                .badField, sequence: sequence, detail: "the payload's event is \(event.name)", field: "event")
        }
        if let activity = publish.activity {
            // The smaller limit of the two holds for both.
            let linter = schemas.linter(app: app, name: activity.name.ownNameBytes)
            let own = linter.lint(publish.payload.span, as: .device, nowMilliseconds: now.wallMilliseconds)
            if let error = own.firstError { return refusal(error, own, publish) }
        }
        let audience = event == .start ? StartAudience(publish, report) : nil
        trace.note(publish.id.bytes, .ingest, at: now.wallMilliseconds, .from(session.user))
        accept(
            PublishOrder(publish: publish, event: event, layout: layout, audience: audience, app: app),
            Call(caller: .session(session.serial), user: session.userBytes), now: now)
        return nil
    }

    /// Checks what only some events have: a second name, and whom a start is for.
    private func refusal(ofPlaces publish: Publish, _ app: UInt16, _ session: Session) -> Nack? {
        if let second = publish.activity?.name.ownNameBytes {
            guard
                access.allows(
                    user: session.user, role: session.role, app: settings.apps[Int(app)].name, name: second)
            else { return Nack(.notAllowed, sequence: publish.sequence, field: "activity") }
        }
        guard publish.event == .start, publish.target.name.kind == .activity, publish.user.isEmpty,
            publish.device.isEmpty
        else { return nil }
        return Nack(
            .badField, sequence: publish.sequence, detail: "a start names the user or the device it is for",
            field: "user")
    }

    private func refusal(_ error: Finding, _ report: PayloadReport, _ publish: Publish) -> Nack {
        let findings = report.findings.map { finding in
            let place = JSONLocation(of: finding.offset, in: publish.payload.span)
            return WireFinding(
                rule: finding.code.slug, severity: .init(rawValue: finding.severity.name) ?? .error, path: finding.path,
                text: finding.detail.isEmpty ? finding.code.meaning : finding.detail,
                line: UInt32(clamping: place.line), column: UInt32(clamping: place.column))
        }
        let code: Code = error.code == .bodyTooLarge ? .tooLarge : .lintFailed
        return Nack(
            code, sequence: publish.sequence, detail: "\(error.code.slug) at \(error.path)", findings: findings)
    }
}

extension StartAudience {
    init(_ publish: Publish, _ report: PayloadReport) {
        self.init(
            user: Array(publish.user.utf8), device: Array(publish.device.utf8),
            attributesType: Array(report.attributesTypeRange.map { publish.payload[$0] } ?? []),
            followsChannel: report.followsChannel, fallback: publish.fallback)
    }
}
