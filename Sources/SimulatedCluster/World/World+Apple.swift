internal import Cluster
internal import Delivery

/// APNs and its devices.
extension World {
    private var wall: Int64 { SimulatedClock.start + time }

    // MARK: Requests

    mutating func arrive(_ push: PushUnderWay) {
        guard appleWeather.isReached(by: push.node, at: time) || push.losesAnswer else { return lose(push) }
        let isChannel = push.destination.kind == .channel
        noteArrival(push)
        let effects = apple.push(
            connection: push.appleConnection, stream: push.stream, channel: isChannel,
            address: push.destination.address, priority: push.item.priority,
            expiration: push.item.expirationSeconds, body: push.body, now: wall)
        for effect in effects { answer(push, effect) }
        afterDelivery(push.node)
        planDelivery()
    }

    private mutating func lose(_ push: PushUnderWay) {
        plan(.apple(push.node, run: push.run, .timedOut(push.id)), after: AppleWeather.timeOutMilliseconds)
    }

    private mutating func answer(_ push: PushUnderWay, _ effect: AppleEffect) {
        let back = appleWeather.latency(&dice)
        let (node, run) = (push.node, push.run)
        switch effect {
        case .answer(_, _, let answer):
            hash.mix(answer.status)
            trace(push.node, "APNs says \(answer.status) \(answer.reason ?? "") to \(push.item.sequence)")
            guard !push.losesAnswer else { return lose(push) }
            let read = Answer(
                status: UInt16(answer.status), reason: answer.reason.map { Reason($0) },
                sinceMilliseconds: answer.sinceMilliseconds)
            plan(.apple(node, run: run, .answered(push.id, read)), after: back)
        case .refuse: plan(.apple(node, run: run, .reset(push.id)), after: back)
        case .streams(_, let count): plan(.apple(node, run: run, .streams(push.connection, count)), after: back)
        case .cut(let number): cutApple(node, number)
        case .goAway(_, let last, let reason):
            plan(.apple(node, run: run, .goAway(push.connection, lastStream: last, reason: reason)), after: back)
        }
    }

    /// The connection breaks: the node notices at once, what has left is on its way.
    mutating func cutApple(_ node: Int, _ number: UInt64) {
        guard let link = links[number], !link.isClosed, nodes[node].run == link.run else { return }
        close(node, link.connection)
        plan(.apple(node, run: link.run, .closed(link.connection, asked: false)), after: dice.between(1, 20))
    }

    mutating func close(_ node: Int, _ id: ConnectionID) {
        guard let number = nodes[node].connections.removeValue(forKey: id.rawValue) else { return }
        links[number] = nil
    }

    // MARK: News for the sending loops

    mutating func hear(_ node: Int, _ news: AppleNews) {
        guard nodes[node].loopStillUntil <= time else {
            return agenda.plan(.apple(node, run: nodes[node].run, news), at: nodes[node].loopStillUntil)
        }
        let now = nodes[node].now(time)
        var out = sending
        sending = []
        hear(node, news, now, &out)
        nodes[node].loop.run(now: now, into: &out)
        carryOut(&out, node)
    }

    private mutating func hear(_ node: Int, _ news: AppleNews, _ now: Moment, _ out: inout [SendingEffect]) {
        switch news {
        case .opened(let id):
            let number = apple.open(manage: false, now: wall)
            nodes[node].connections[id.rawValue] = number
            links[number] = AppleLink(node: node, run: nodes[node].run, connection: id)
            nodes[node].loop.opened(id, limit: 100, now: now, into: &out)
        case .failedToOpen(let id): nodes[node].loop.closed(id, .transient, now: now, into: &out)
        case .answered(let id, let answer): nodes[node].loop.answered(id, answer, now: now, into: &out)
        case .timedOut(let id): nodes[node].loop.failed(id, isReset: false, now: now, into: &out)
        case .reset(let id): nodes[node].loop.failed(id, isReset: true, now: now, into: &out)
        case .streams(let id, let count): nodes[node].loop.limit(id, count, now: now, into: &out)
        case .goAway(let id, let last, let reason):
            let above = nodes[node].connections[id.rawValue].flatMap { links[$0]?.above(last) } ?? []
            nodes[node].loop.goAway(id, reason: reason, unprocessed: above, now: now, into: &out)
        case .closed(let id, let asked):
            nodes[node].loop.closed(id, asked ? .asked : .transient, now: now, into: &out)
        case .pong(let id): nodes[node].loop.pong(id, now: now)
        }
    }

    // MARK: Channels

    mutating func manage(_ node: Int, _ intent: UInt64, _ operation: ChannelOperation) {
        var channelID: [UInt8]?
        let kind: ManagementUnderWay.Kind
        switch operation {
        case .create(let policy): kind = .create(stored: policy == .mostRecent)
        case .read(let id): (kind, channelID) = (.read, id)
        case .delete(let id): (kind, channelID) = (.delete, id)
        case .list: kind = .list
        }
        let request = ManagementUnderWay(
            node: node, run: nodes[node].run, intent: intent, kind: kind, channelID: channelID,
            losesAnswer: dice.chance(perMille: appleWeather.lostAnswersPerMille * 3))
        trace(node, "manages \(kind)")
        plan(.manage(request), after: appleWeather.latency(&dice))
    }

    mutating func arrive(_ request: ManagementUnderWay) {
        let (node, run) = (request.node, request.run)
        guard appleWeather.isReached(by: node, at: time) else {
            return plan(
                .managed(node, run: run, intent: request.intent, nil, kind: request.kind), after: dice.between(50, 500))
        }
        let stream = nodes[node].managed
        nodes[node].managed += 2
        let (method, all, body) = Self.words(request.kind)
        let effects = apple.manage(
            connection: nodes[node].managing, stream: stream, method: method, all: all, channelID: request.channelID,
            body: body, now: wall)
        for effect in effects {
            guard case .answer(_, _, let answer) = effect else { continue }
            plan(
                .managed(
                    node, run: run, intent: request.intent, request.losesAnswer ? nil : answer, kind: request.kind),
                after: request.losesAnswer ? 2_000 : appleWeather.latency(&dice))
        }
    }

    private static func words(_ kind: ManagementUnderWay.Kind) -> (method: String, all: Bool, body: String) {
        switch kind {
        case .create(let stored):
            ("POST", false, "{\"message-storage-policy\":\(stored ? 1 : 0),\"push-type\":\"LiveActivity\"}")
        case .read: ("GET", false, "")
        case .delete: ("DELETE", false, "")
        case .list: ("GET", true, "")
        }
    }

    mutating func heard(_ node: Int, _ intent: UInt64, _ answer: AppleAnswer?, _ kind: ManagementUnderWay.Kind) {
        post(.input(.channel(.answered(intent: intent, answer: Self.meaning(answer, kind)))), to: node)
    }

    private static func meaning(_ answer: AppleAnswer?, _ kind: ManagementUnderWay.Kind) -> ChannelAnswer {
        guard let answer else { return .lost }
        guard answer.status < 300 else {
            let reason = answer.reason ?? "HTTP \(answer.status)"
            if case .delete = kind, reason == "ChannelNotRegistered" { return .deleted }
            return answer.status == 429 || answer.status >= 500
                ? .unavailable(reason: reason) : .refused(reason: reason)
        }
        switch kind {
        case .create: return answer.channelID.map { .created(channelID: $0) } ?? .lost
        case .read: return .policy(answer.isStored ? .mostRecent : .none)
        case .delete: return .deleted
        case .list: return .listed(answer.channelIDs)
        }
    }

    // MARK: Devices

    mutating func planDelivery() {
        guard let next = apple.nextArrivalMilliseconds else { return }
        let at = max(next - SimulatedClock.start, time)
        guard at < deliveryAt else { return }
        deliveryAt = at
        agenda.plan(.deliver, at: at)
    }

    mutating func deliver() {
        guard deliveryAt <= time else { return }
        deliveryAt = .max
        apple.advance(to: wall)
        afterDelivery(nil)
        planDelivery()
    }

    /// What devices show may have changed.
    private mutating func afterDelivery(_ node: Int?) {
        takeStarted()
        if apple.wentBack > 0 {
            let culprit = apple.culprit(among: phones.map(\.activity), rang: false)
            return fail(.deviceNeverGoesBack, node, "\(describe(activity: culprit)) went back")
        }
        if apple.rangTwice > 0 {
            let culprit = apple.culprit(among: phones.map(\.activity), rang: true)
            fail(.ringsOnce, node, "\(describe(activity: culprit)) rang twice for one event")
        }
    }

    private func describe(activity: Int?) -> String {
        guard let phone = phones.first(where: { $0.activity == activity }) else { return "a device" }
        let state = String(decoding: apple.shown(activity: phone.activity).state, as: UTF8.self)
        return "a device of name \(phone.producer)#\(phone.instance), which shows \(state),"
    }

    /// An older message than one before may be what APNs keeps for a device that is offline, or be all that it gets.
    private mutating func noteArrival(_ push: PushUnderWay) {
        let isNewest = checks.arrived(push.item, at: push.destination)
        for phone in audience[push.destination] ?? [] {
            if !phones[phone].isOnline {
                phones[phone].mayBeBehind = !isNewest || push.destination.kind == .channel
            } else if isNewest {
                phones[phone].mayBeBehind = false
                phones[phone].lastArrival = time
            }
        }
    }
}
