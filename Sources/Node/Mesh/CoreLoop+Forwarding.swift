internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Messaging
internal import Telemetry
internal import Wire

/// Requests that another node answers: one hop over the mesh and back; for questions a second one when shards have just
/// moved.
extension CoreLoop {
    /// How often a question may be handed on.
    private static let hopsMax: UInt8 = 2

    // MARK: To other nodes

    /// Hands a request to the member that answers it.
    func handOn(
        _ request: ProducerMessage, _ kind: PendingRequest.Kind, _ call: Call, to member: Member,
        receipts: Bool = false, now: Moment
    ) {
        // What changes something is handed on once: on a longer way it could pass, or be passed by, what its caller
        // sent later and straight to the new owner.
        guard call.hops < (kind.isQuestion ? Self.hopsMax : 1) else {
            return refuse(pending(request.sequence, kind, call), Fault(.shardMoves, "the nodes do not agree yet"))
        }
        guard mesh != nil, !forwards.isFull else {
            let fault = Fault(.overloaded, "too much waits for other nodes")
            return refuse(pending(request.sequence, kind, call), fault)
        }
        let origin = remember(request.sequence, kind, call, receipts: receipts)
        counters.forwards += 1
        forwards.add(origin, to: member, shard: shard(of: request), now: now.bootMilliseconds)
        let forward = Forward(
            request: origin, hops: call.hops, user: call.user, session: UInt64(RequestTable.session(of: origin)),
            frames: request.frames())
        send(.forward(forward), to: member, now: now)
    }

    /// Refuses what was handed on and will not be answered: the time is over, or the node.
    func watchForwards(now: Moment) {
        guard forwards.count > 0 else { return }
        for origin in forwards.expire(now: now.bootMilliseconds) { giveUp(origin, "the key's node is silent") }
        if forwardPlacement != core.state.placement.version {
            forwardPlacement = core.state.placement.version
            let moved = forwards.abandonMoved { core.state.placement[$0].owner }
            for origin in moved { giveUp(origin, "the key's node lost it") }
        }
        guard now.bootMilliseconds >= forwardSweepAt else { return }
        forwardSweepAt = now.bootMilliseconds + 50
        let lost = forwards.abandon { node, generation in
            guard let row = core.member(node) else { return true }
            return row.state == .dead || row.state == .left || row.member.incarnation.generation != generation
        }
        for origin in lost { giveUp(origin, "the key's node is gone") }
    }

    /// The shard whose owner answers a request; nil: the coordinator does.
    private func shard(of request: ProducerMessage) -> UInt16? {
        switch request {
        case .publish(let publish): core.shard(of: publish.target.name)
        case .get(let get): core.shard(of: get.target.name)
        case .status(let query): core.shard(of: query.target.name)
        case .activity(let query): core.shard(of: query.target.name)
        case .register(let registration), .unregister(let registration):
            registration.target.map { core.shard(of: $0.name) } ?? Shard.registry
        case .channel, .recover, .hello, .batch, .ping, .bye, .nodeStatus: nil
        }
    }

    private func giveUp(_ origin: UInt64, _ detail: String) {
        counters.forwardsUnanswered += 1
        guard let request = requests.take(origin) else { return }
        refuse(request, Fault(.noAnswer, detail))
    }

    /// An answer or a receipt has come back.
    func take(_ answer: Forwarded, _ header: MeshHeader) {
        guard answer.isAnswer else { return passReceipt(answer) }
        guard forwards.answered(answer.request, by: header.sender), let request = requests.take(answer.request) else {
            counters.forwardsLate += 1
            return
        }
        finish(request, frames: answer.frames)
    }

    private func passReceipt(_ receipt: Forwarded) {
        let serial = RequestTable.session(of: receipt.request)
        if let session = sessions[serial] {
            sendReceipt(receipt.frames, to: session)
        } else if let call = receiptRoutes[receipt.request] {
            tell(call, receipt.frames, isAnswer: false)
        } else {
            counters.receiptsDropped += 1
        }
    }

    // MARK: From other nodes

    /// Another node hands on what a caller of its own wants.
    func take(_ forward: Forward, _ header: MeshHeader, now: Moment) {
        counters.forwardsTaken += 1
        let peer = PeerCall(
            node: header.sender, generation: header.generation, request: forward.request, session: forward.session)
        let call = Call(caller: .peer(peer), user: forward.user, hops: forward.hops &+ 1)
        switch ProducerMessage.decode(forward.frames) {
        case .failure(let fault): tell(peer, NodeMessage.nack(Nack(fault)).frames())
        case .success(.publish(let publish)): take(publish, call, now: now)
        case .success(.recover(let recovery)): carry(recovery, call, now: now)
        case .success(let request):
            guard let app = request.appBytes.flatMap({ appIndex($0) }) else {
                return tell(peer, NodeMessage.nack(Nack(.unknownApp, sequence: request.sequence)).frames())
            }
            carry(request, app: app, call, now: now)
        }
    }

    private func take(_ publish: Publish, _ call: Call, now: Moment) {
        let request = pending(publish.sequence, .publish, call)
        guard phase.takesEvents else { return refuse(request, Fault(.draining)) }
        let key = publish.target.name
        guard let app = appIndex(key.appBytes) else { return refuse(request, Fault(.unknownApp)) }
        let kind: RequestKind =
            key.kind == .channel ? .broadcast : publish.event == .start ? .start : .device
        // Whoever handed it on has judged it; here only the places in the payload are looked up.
        let report = schemas.finder.lint(publish.payload.span, as: kind, nowMilliseconds: now.wallMilliseconds)
        guard let event = report.event, let layout = report.layout else { return refuse(request, Fault(.lintFailed)) }
        trace.note(publish.id.bytes, .ingest, at: now.wallMilliseconds, "handed on by another node")
        let audience = event == .start ? StartAudience(publish, report) : nil
        accept(
            PublishOrder(publish: publish, event: event, layout: layout, audience: audience, app: app), call, now: now)
    }

    /// Sends an answer or a receipt to the node that handed the request on.
    func tell(_ call: PeerCall, _ frames: [[UInt8]], isAnswer: Bool = true) {
        guard let row = core.member(call.node), row.member.incarnation.generation == call.generation else { return }
        let answer = Forwarded(request: call.request, session: call.session, isAnswer: isAnswer, frames: frames)
        send(.forwarded(answer), to: row.member, now: moment())
    }
}

extension ProducerMessage {
    /// The app that a request is about; nil for those that are about none.
    fileprivate var appBytes: ArraySlice<UInt8>? {
        switch self {
        case .get(let get): get.target.name.appBytes
        case .status(let query): query.target.name.appBytes
        case .activity(let query): query.target.name.appBytes
        case .register(let registration), .unregister(let registration):
            registration.target?.name.appBytes ?? Array(registration.app.utf8)[...]
        case .channel(let channel): Array(channel.app.utf8)[...]
        case .publish(let publish): publish.target.name.appBytes
        case .recover, .hello, .batch, .ping, .bye, .nodeStatus: nil
        }
    }
}
