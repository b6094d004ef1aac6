internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Loops
internal import Messaging
internal import Telemetry
internal import Wire

/// An event that has been inspected.
struct PublishOrder {
    var publish: Publish
    let event: EventKind
    let layout: PayloadLayout
    let audience: StartAudience?
    let app: UInt16
}

/// Route: key → shard → owner. What this node owns goes to its own core, everything else to the node that owns it; the
/// request is remembered so that the answer finds its way back.
extension CoreLoop {
    /// When to come again while nobody owns a shard, in milliseconds.
    static let moveRetryMilliseconds: Int64 = 100

    // MARK: Events

    /// Hands an inspected event to its owner. One for a channel and an activity with different owners becomes two.
    func accept(_ order: PublishOrder, _ call: Call, now: Moment) {
        guard let activity = order.publish.activity else { return submit(order, call, now: now) }
        let ways = (core.route(order.publish.target.name, now: now), core.route(activity.name, now: now))
        switch ways {
        case (.nowhere(let fault), _), (_, .nowhere(let fault)):
            refuse(pending(order.publish.sequence, .publish, call), fault)
        case (.here, .here):
            let origin = remember(order.publish.sequence, .publish, call, receipts: order.publish.receipts)
            let channel = input(order, origin, call)
            var both = channel
            both.key = activity.name
            core.handle(.request(.publishToBoth(channel: channel, activity: both)), now: now, into: &effects)
        case (.node(let first), .node(let second)) where first.id == second.id:
            handOn(
                .publish(order.publish), .publish, call, to: first, receipts: order.publish.receipts, now: now)
        default: split(order, activity, call, now: now)
        }
    }

    private func split(_ order: PublishOrder, _ activity: Target, _ call: Call, now: Moment) {
        let joint = joints.add(pending(order.publish.sequence, .publish, call))
        var half = order
        half.publish.activity = nil
        submit(half, Call(caller: .joint(joint, .channel), user: call.user, hops: call.hops), now: now)
        half.publish.target = activity
        submit(half, Call(caller: .joint(joint, .activity), user: call.user, hops: call.hops), now: now)
    }

    private func submit(_ order: PublishOrder, _ call: Call, now: Moment) {
        let publish = order.publish
        switch core.route(publish.target.name, now: now) {
        case .here:
            trace.note(publish.id.bytes, .route, at: now.wallMilliseconds, "owned here")
            let origin = remember(publish.sequence, .publish, call, receipts: publish.receipts)
            core.handle(.request(.publish(input(order, origin, call))), now: now, into: &effects)
        case .node(let member):
            trace.note(publish.id.bytes, .route, at: now.wallMilliseconds, .handedOn(to: member.name))
            handOn(.publish(publish), .publish, call, to: member, receipts: publish.receipts, now: now)
        case .nowhere(let fault): refuse(pending(publish.sequence, .publish, call), fault)
        }
    }

    private func input(_ order: PublishOrder, _ origin: UInt64, _ call: Call) -> PublishInput {
        let publish = order.publish
        return PublishInput(
            origin: origin, producer: call.user, app: order.app, key: publish.target.name,
            instance: publish.target.instance, eventID: publish.id.bytes, event: order.event,
            important: publish.important, priority: publish.priority ?? (publish.important ? 10 : 5),
            revision: publish.revision, notBeforeMilliseconds: publish.notBeforeMilliseconds,
            expiresAtMilliseconds: publish.expiresAtMilliseconds, audience: order.audience, payload: publish.payload,
            layout: order.layout, wantsReceipts: publish.receipts)
    }

    // MARK: Everything else

    /// Hands every other request of a session on that an owner answers.
    func route(_ request: ProducerMessage, _ session: Session, now: Moment) {
        guard session.credit.takeRequest() else {
            let nack = Nack(
                .overloaded, sequence: request.sequence, detail: "too many unanswered requests", retryMilliseconds: 100)
            return answer(.nack(nack), to: session.identity)
        }
        switch admit(request, session) {
        case .success(let app):
            carry(request, app: app, Call(caller: .session(session.serial), user: session.userBytes), now: now)
        case .failure(let refusal):
            session.credit.answerRequest()
            answer(.nack(refusal.nack), to: session.identity)
        }
    }

    /// Gives the request to whoever answers it; everything has been checked that a session must be checked for.
    func carry(_ request: ProducerMessage, app: UInt16, _ call: Call, now: Moment) {
        switch request {
        case .get(let get):
            direct(request, .get, call, core.route(get.target.name, now: now), now: now) { origin in
                .request(.get(origin: origin, key: get.target.name, instance: get.target.instance))
            }
        case .status(let query):
            direct(request, .status, call, core.route(query.target.name, now: now), now: now) { origin in
                .request(.status(origin: origin, eventID: query.id.bytes, key: query.target.name))
            }
        case .activity(let query):
            direct(request, .activity, call, core.route(query.target.name, now: now), now: now) { origin in
                .request(.showActivity(origin: origin, key: query.target.name))
            }
        case .register(let registration), .unregister(let registration):
            carry(request, registration, app, call, now: now)
        case .channel(let channel): carry(request, channel, app, call, now: now)
        case .hello, .publish, .batch, .ping, .bye, .nodeStatus, .recover:
            finish(pending(request.sequence, .get, call), .nack(Nack(.unknownCommand, sequence: request.sequence)))
        }
    }

    private func carry(
        _ request: ProducerMessage, _ registration: Registration, _ app: UInt16, _ call: Call, now: Moment
    ) {
        var isNew = false
        if case .register = request { isNew = true }
        guard let target = registration.target else {
            return direct(request, .register(instance: nil), call, core.routeRegistry(now: now), now: now) { origin in
                let input = DeviceTokenInput(registration, app: app, origin: origin)
                return .request(isNew ? .registerDevice(input) : .unregisterDevice(input))
            }
        }
        let way = core.route(target.name, now: now)
        direct(request, .register(instance: target.instance), call, way, now: now) { origin in
            let input = RegisterInput(
                origin: origin, key: target.name, instance: target.instance,
                destination: Destination(kind: .token, app: app, address: registration.token.digits),
                user: Array(registration.user.utf8), device: Array(registration.device.utf8))
            return .request(
                isNew ? .register(input) : .unregister(input, end: registration.reason.map(ActivityEnd.init)))
        }
    }

    private func carry(
        _ request: ProducerMessage, _ channel: ChannelRequest, _ app: UInt16, _ call: Call, now: Moment
    ) {
        let sequence = channel.sequence
        let kind = PendingRequest.Kind.channel(channel)
        if channel.action == .list || channel.action == .show {
            return direct(request, kind, call, core.routeCoordinator(), now: now) { origin in
                .channel(.list(origin: origin, app: app))
            }
        }
        guard let key = Key(app: channel.app, kind: .channel, name: channel.channel) else {
            return finish(
                pending(sequence, kind, call), .nack(Nack(.badField, sequence: sequence, field: "channel")))
        }
        guard phase.takesEvents else {
            let nack = Nack(.draining, sequence: sequence, retryMilliseconds: 1000)
            return finish(pending(sequence, kind, call), .nack(nack))
        }
        let policy: StoragePolicy = channel.storage == .some(.none) ? .none : .mostRecent
        direct(request, kind, call, core.routeCoordinator(), now: now) { origin in
            .channel(
                channel.action == .create
                    ? .create(origin: origin, app: app, key: key, policy: policy)
                    : .delete(origin: origin, app: app, key: key))
        }
    }

    /// Asks the own core, hands on, or says that nobody can answer now.
    func direct(
        _ request: ProducerMessage, _ kind: PendingRequest.Kind, _ call: Call, _ way: Routing, now: Moment,
        _ input: (UInt64) -> NodeInput
    ) {
        switch way {
        case .here: core.handle(input(remember(request.sequence, kind, call)), now: now, into: &effects)
        case .node(let member): handOn(request, kind, call, to: member, now: now)
        case .nowhere(let fault): refuse(pending(request.sequence, kind, call), fault)
        }
    }

    // MARK: Memory

    func pending(_ sequence: Int64, _ kind: PendingRequest.Kind, _ call: Call) -> PendingRequest {
        PendingRequest(
            sequence: sequence, kind: kind, takenAtNanoseconds: Clock.monotonicNanoseconds(), caller: call.caller)
    }

    func remember(
        _ sequence: Int64, _ kind: PendingRequest.Kind, _ call: Call, receipts: Bool = false
    ) -> UInt64 {
        let (serial, peer) = home(of: call.caller)
        let origin = requests.add(pending(sequence, kind, call), session: serial, receipts: receipts)
        if receipts, let peer { receiptRoutes.add(origin, peer) }
        return origin
    }

    /// Where receipts go: a session here, or another node.
    private func home(of caller: Caller) -> (session: UInt32, peer: PeerCall?) {
        switch caller {
        case .session(let serial): (serial, nil)
        case .peer(let call): (0, call)
        case .joint(let joint, _): joints.caller(of: joint).map { home(of: $0) } ?? (0, nil)
        }
    }

    func refuse(_ request: PendingRequest, _ fault: Fault) {
        let nack = Nack(
            fault.code, sequence: request.sequence, detail: fault.detail,
            retryMilliseconds: fault.code.retryable ? Self.moveRetryMilliseconds : nil)
        finish(request, .nack(nack))
    }
}

extension DeviceTokenInput {
    /// A token that belongs to a device and to no name.
    init(_ registration: Registration, app: UInt16, origin: UInt64) {
        let kind: Destination.Kind = registration.kind == .start ? .startToken : .ordinaryToken
        self.init(
            origin: origin,
            name: DeviceName(app: app, user: Array(registration.user.utf8), device: Array(registration.device.utf8)),
            destination: Destination(kind: kind, app: app, address: registration.token.digits),
            attributesType: Array(registration.attributesType.utf8))
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
