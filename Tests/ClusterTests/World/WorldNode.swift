import Cluster
import Codes
import Delivery
import LiveActivity

/// The node's threads: core, store and one apns loop, joined by mailboxes with delays.
extension World {
    mutating func turn(_ input: CoreInput) {
        guard isUp else { return }
        apply(input)
        endTurn()
    }

    mutating func apply(_ input: CoreInput) {
        var out: [NodeEffect] = []
        core.handle(input, now: now, into: &out)
        carryOut(out)
    }

    mutating func applyChannel(_ input: ChannelInput) {
        var out: [NodeEffect] = []
        core.handle(input, now: now, into: &out)
        carryOut(out)
    }

    mutating func endTurn() {
        var out: [NodeEffect] = []
        core.endTurn(now: now, into: &out)
        carryOut(out)
        guard let next = core.nextDeadline, next < wakeCoreAt else { return }
        wakeCoreAt = max(next, time + 1)
        plan(.wakeCore, after: wakeCoreAt - time, of: 0)
    }

    mutating func wakeCore() {
        wakeCoreAt = .max
        turn(.tick)
    }

    mutating func carryOut(_ effects: [NodeEffect]) {
        for effect in effects {
            switch effect {
            case .store(let batch, let writes, let isRetry): write(batch, writes, isRetry: isRetry)
            case .reply(let origin, let answer): reply(origin, answer)
            case .notice(.rowLeftOut(_, let fault)): problems.append("\(fault)")
            case .receipt, .notice: break
            case .sendControl, .sendReplication, .lease, .clusterNotice, .stage, .drained: break
            case .offer(let item, let places): plan(.offered(0, item, places), after: dice.below(3), of: 0)
            case .withdraw(let tickets): withdrawn[0].formUnion(tickets)
            case .manage(let intent, _, let operation): manage(intent, operation)
            }
        }
    }

    mutating func reply(_ origin: UInt64, _ reply: Reply) {
        if case .registered = reply, let place = registrations[origin] { registered.insert(place) }
        guard let index = origins[origin] else { return }
        switch reply {
        case .acknowledged: producers[index].answered(origin, accepted: true, isFinal: true)
        case .refused(let fault, _):
            producers[index].answered(
                origin, accepted: false, isFinal: !fault.code.retryable && fault.code != .unknownChannel)
        default: break
        }
    }

    private mutating func manage(_ intent: UInt64, _ operation: ChannelOperation) {
        let answer: ChannelAnswer
        switch operation {
        case .create:
            channels.append([0xc0, UInt8(channels.count)])
            answer = .created(channelID: channels[channels.count - 1])
        case .list: answer = .listed(channels)
        case .read: answer = .policy(.none)
        case .delete: answer = .deleted
        }
        let isLost = faulty && !isHealed && dice.chance(percent: 20)
        plan(.managed(intent, isLost ? .lost : answer), after: 20, of: 0)
    }

    // MARK: Store

    private mutating func write(_ batch: UInt64, _ writes: [StoreWrite], isRetry: Bool) {
        if isRetry { diskIsBroken = false }
        var wait = dice.between(1, 20)
        if faulty, !isHealed, dice.chance(percent: 2) { wait += 700 }
        underWay[batch] = writes.map { ($0, epoch($0)) }
        diskFreeAt = max(diskFreeAt, time) + wait
        let fails = diskIsBroken || faulty && !isHealed && time > 500 && dice.below(400) == 0
        diskIsBroken = fails
        plan(fails ? .storeFailed(batch) : .stored(batch), after: diskFreeAt - time, of: 0)
    }

    mutating func stored(_ batch: UInt64) {
        for (write, epoch) in underWay.removeValue(forKey: batch) ?? [] where self.epoch(write) == epoch {
            disk[Row(kind: write.kind.rawValue, key: write.key)] = write.value
        }
        turn(.stored(batch: batch))
    }

    // MARK: Lanes and APNs

    mutating func offer(_ node: Int, _ item: PushItem, _ places: [Destination]) {
        var out: [LaneEffect] = []
        for place in places { lanes[node].offer(item, to: place, now: now, into: &out) }
        carryOut(node, out)
    }

    mutating func wakeLanes(_ node: Int) {
        wakeLanesAt[node] = .max
        var out: [LaneEffect] = []
        lanes[node].tick(now: now, into: &out)
        carryOut(node, out)
    }

    mutating func carryOut(_ node: Int, _ effects: [LaneEffect]) {
        var effects = effects
        if !isOutage || dice.chance(percent: 20) {
            for broadcast in [true, false] {
                lanes[node].dispatch(Outlet(app: 0, broadcast: broadcast), atMost: 100, now: now, into: &effects)
            }
        }
        var reports: [LaneReport] = []
        for effect in effects {
            switch effect {
            case .report(let report): reports.append(report)
            case .send(let id, let place, let item): request(node, id, place, item)
            }
        }
        if !reports.isEmpty { plan(.reported(node, reports), after: dice.below(3), of: node) }
        let next = min(lanes[node].nextDeadline ?? .max, isOutage ? time + 500 : .max)
        guard next < wakeLanesAt[node] else { return }
        wakeLanesAt[node] = max(next, time + 1)
        plan(.wakeLanes(node), after: wakeLanesAt[node] - time, of: node)
    }

    private mutating func request(_ node: Int, _ id: SendID, _ place: Destination, _ item: PushItem) {
        // What is left of a shard that has moved away is let go, whatever the lane makes of it.
        guard !withdrawn[node].contains(item.ticket) else { return plan(.answered(node, id, 400), after: 1, of: node) }
        sends += 1
        let message = WorldMessage(
            key: Int(item.payload[0]), instance: WorldProducer.number(item.payload[1..<4]),
            number: WorldProducer.number(item.payload[4..<7]), event: item.event, stamp: item.stampSeconds,
            rings: item.layout.hasAlert && !item.quiet)
        checkSend(place, message)
        let latency = dice.between(5, 120)
        guard !dead.contains(place) else { return plan(.answered(node, id, 410), after: latency, of: node) }
        let fate = faulty && !isHealed ? isOutage ? 88 + dice.below(12) : dice.below(100) : 0
        switch fate {
        case 0..<80: accept(node, id, place, message, latency)
        case 80..<84: plan(.failed(node, id, .unknown), after: latency, of: node)
        case 84..<88:
            plan(.deliver(place, message), after: latency / 2)
            plan(.failed(node, id, .unknown), after: latency, of: node)
        case 88..<92: plan(.failed(node, id, .unprocessed), after: latency, of: node)
        case 92..<95: plan(.answered(node, id, 429), after: latency, of: node)
        case 95..<97: plan(.answered(node, id, 503), after: latency, of: node)
        default: accept(node, id, place, message, dice.between(1_000, 8_000))
        }
    }

    private mutating func accept(
        _ node: Int, _ id: SendID, _ place: Destination, _ message: WorldMessage, _ latency: Int64
    ) {
        // A request that has left is carried out even when the node dies before the answer.
        plan(.deliver(place, message), after: latency - 1)
        plan(.answered(node, id, 200), after: latency, of: node)
    }

    mutating func answer(_ node: Int, _ id: SendID, _ status: Int) {
        var out: [LaneEffect] = []
        let reasons = [400: "BadTopic", 410: "Unregistered", 429: "TooManyRequests"]
        let reason = reasons[status]
        let answer = Answer(
            status: UInt16(status), reason: reason.map { Reason($0) },
            sinceMilliseconds: status == 410 ? Self.start + 1_000_000 : nil)
        lanes[node].answered(id, AnswerClassifier.classify(.device, answer), now: now, into: &out)
        carryOut(node, out)
    }

    /// APNs has it: every follower gets it, each after its own time; for one that is offline the last is kept.
    mutating func deliver(_ place: Destination, _ message: WorldMessage) {
        var followed = place
        if place.kind == .channel {
            followed = Destination(kind: .channel, app: 0, address: [UInt8(message.key)])
            if let owner = channelOwners[place], owner != message.key { note("two names share a channel") }
            channelOwners[place] = message.key
        }
        for device in audience[followed] ?? [] {
            if devices[device].isOnline {
                plan(.toDevice(device, message), after: faulty && !isHealed ? dice.between(0, 2_500) : 5)
            } else if place.kind == .token, (devices[device].stored?.stamp ?? 0) < message.stamp {
                // That APNs may keep the older of two is the limit of the promise; it is not what is looked for here.
                devices[device].stored = message
            }
        }
    }
}
