internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Loops
internal import Messaging
internal import Wire

/// Route: key → shard → owner. A node alone owns every shard, so what is routed goes to its own core; the request is
/// remembered so that the answer finds its way back.
extension CoreLoop {
    /// Hands an inspected event to its owner.
    func accept(
        _ publish: Publish, event: EventKind, layout: PayloadLayout, audience: StartAudience?, app: UInt16,
        session: Session, now: Moment
    ) {
        let pending = PendingRequest(
            sequence: publish.sequence, kind: .publish, takenAtNanoseconds: Clock.monotonicNanoseconds())
        let origin = requests.add(pending, session: session.serial, receipts: publish.receipts)
        var input = PublishInput(
            origin: origin, producer: session.userBytes, app: app, key: publish.target.name,
            instance: publish.target.instance, eventID: publish.id.bytes, event: event,
            important: publish.important, priority: publish.priority ?? (publish.important ? 10 : 5),
            revision: publish.revision, notBeforeMilliseconds: publish.notBeforeMilliseconds,
            expiresAtMilliseconds: publish.expiresAtMilliseconds, audience: audience, payload: publish.payload,
            layout: layout, wantsReceipts: publish.receipts)
        guard let activity = publish.activity else {
            return core.handle(.request(.publish(input)), now: now, into: &effects)
        }
        let channel = input
        input.key = activity.name
        core.handle(.request(.publishToBoth(channel: channel, activity: input)), now: now, into: &effects)
    }

    /// Hands every other request on that the core answers.
    func route(_ request: ProducerMessage, _ session: Session, now: Moment) {
        guard session.credit.takeRequest() else {
            let nack = Nack(
                .overloaded, sequence: request.sequence, detail: "too many unanswered requests", retryMilliseconds: 100)
            return answer(.nack(nack), to: session.identity)
        }
        if let nack = hand(request, session, now: now) {
            session.credit.answerRequest()
            answer(.nack(nack), to: session.identity)
        }
    }

    private func hand(_ request: ProducerMessage, _ session: Session, now: Moment) -> Nack? {
        switch request {
        case .get(let get):
            return check(get.target.name, session, get.sequence, now: now) { _ in
                let origin = remember(get.sequence, .get, session)
                return .get(origin: origin, key: get.target.name, instance: get.target.instance)
            }
        case .status(let query):
            return check(query.target.name, session, query.sequence, now: now) { _ in
                let origin = remember(query.sequence, .status, session)
                return .status(origin: origin, eventID: query.id.bytes, key: query.target.name)
            }
        case .register(let registration):
            guard let target = registration.target else {
                return handDeviceToken(request, registration, session, now: now)
            }
            return check(target.name, session, registration.sequence, now: now) { app in
                .register(registerInput(registration, target, app, session))
            }
        case .unregister(let registration):
            guard let target = registration.target else {
                return handDeviceToken(request, registration, session, now: now)
            }
            return check(target.name, session, registration.sequence, now: now) { app in
                .unregister(
                    registerInput(registration, target, app, session), end: registration.reason.map(ActivityEnd.init))
            }
        case .activity(let query):
            return check(query.target.name, session, query.sequence, now: now) { _ in
                .showActivity(origin: remember(query.sequence, .activity, session), key: query.target.name)
            }
        case .channel(let channel): return manage(channel, session, now: now)
        case .hello, .publish, .batch, .ping, .bye, .nodeStatus: return nil
        }
    }

    private func remember(_ sequence: Int64, _ kind: PendingRequest.Kind, _ session: Session) -> UInt64 {
        requests.add(
            PendingRequest(sequence: sequence, kind: kind, takenAtNanoseconds: Clock.monotonicNanoseconds()),
            session: session.serial)
    }

    /// Refuses what names an unknown app or a name that is not the caller's; otherwise makes the input and carries it
    /// on.
    private func check(
        _ key: Key, _ session: Session, _ sequence: Int64, now: Moment, _ make: (UInt16) -> CoreInput
    ) -> Nack? {
        guard let app = appIndex(key.appBytes) else { return Nack(.unknownApp, sequence: sequence, field: "app") }
        let name = settings.apps[Int(app)].name
        guard access.allows(user: session.user, role: session.role, app: name, name: key.ownNameBytes) else {
            return Nack(.notAllowed, sequence: sequence, field: "app")
        }
        core.handle(.request(make(app)), now: now, into: &effects)
        return nil
    }

    private func registerInput(
        _ registration: Registration, _ target: Target, _ app: UInt16, _ session: Session
    ) -> RegisterInput {
        let origin = remember(registration.sequence, .register(instance: target.instance), session)
        return RegisterInput(
            origin: origin, key: target.name, instance: target.instance,
            destination: Destination(kind: .token, app: app, address: registration.token.digits),
            user: Array(registration.user.utf8), device: Array(registration.device.utf8))
    }

    /// Tokens that belong to a device and to no name: whoever may use the app may bring them.
    private func handDeviceToken(
        _ request: ProducerMessage, _ registration: Registration, _ session: Session, now: Moment
    ) -> Nack? {
        let sequence = registration.sequence
        guard let app = appIndex(Array(registration.app.utf8)[...]) else {
            return Nack(.unknownApp, sequence: sequence, field: "app")
        }
        guard access.allows(user: session.user, role: session.role, app: registration.app) else {
            return Nack(.notAllowed, sequence: sequence, field: "app")
        }
        let kind: Destination.Kind = registration.kind == .start ? .startToken : .ordinaryToken
        let input = DeviceTokenInput(
            origin: remember(sequence, .register(instance: nil), session),
            name: DeviceName(
                app: app, user: Array(registration.user.utf8), device: Array(registration.device.utf8)),
            destination: Destination(kind: kind, app: app, address: registration.token.digits),
            attributesType: Array(registration.attributesType.utf8))
        if case .register = request {
            core.handle(.request(.registerDevice(input)), now: now, into: &effects)
        } else {
            core.handle(.request(.unregisterDevice(input)), now: now, into: &effects)
        }
        return nil
    }

    private func manage(_ request: ChannelRequest, _ session: Session, now: Moment) -> Nack? {
        let sequence = request.sequence
        guard let app = appIndex(Array(request.app.utf8)[...]) else {
            return Nack(.unknownApp, sequence: sequence, field: "app")
        }
        guard
            access.allows(
                user: session.user, role: session.role, app: request.app, name: Array(request.channel.utf8)[...])
                || request.action == .list
                    && access.allows(user: session.user, role: session.role, app: request.app, name: [])
        else { return Nack(.notAllowed, sequence: sequence, field: "channel") }
        let origin = remember(sequence, .channel(request), session)
        if request.action == .list || request.action == .show {
            core.handle(.channel(.list(origin: origin, app: app)), now: now, into: &effects)
            return nil
        }
        guard let key = Key(app: request.app, kind: .channel, name: request.channel) else {
            _ = requests.take(origin)
            return Nack(.badField, sequence: sequence, field: "channel")
        }
        guard phase == .running else {
            _ = requests.take(origin)
            return Nack(.draining, sequence: sequence, retryMilliseconds: 1000)
        }
        let policy: StoragePolicy = request.storage == .some(.none) ? .none : .mostRecent
        let input: ChannelInput =
            request.action == .create
            ? .create(origin: origin, app: app, key: key, policy: policy)
            : .delete(origin: origin, app: app, key: key)
        core.handle(.channel(input), now: now, into: &effects)
        return nil
    }
}

extension ActivityEnd {
    init(_ reason: Registration.Reason) {
        switch reason {
        case .dismissed: self = .dismissed
        case .ended: self = .ended
        }
    }
}
