extension SimulatedAPNs {
    /// To every follower of a channel: on its way to those online; those offline get what the channel stores, or
    /// nothing.
    mutating func fanOut(_ message: Message, _ channel: Channel, _ now: Int64) {
        var missed = 0
        let isDirect = faults.reorderMilliseconds == 0 && faults.lostOneIn == 0
        for index in channel.followers {
            guard devices[activities[index].device].isOnline else {
                missed += 1
                continue
            }
            activities[index].offered = message.sequence
            if isDirect {
                arrive(message, atActivity: index, now)
            } else {
                dispatch(Delivery(target: .activity(index), message: message), now)
            }
        }
        if channel.policy == .none || channel.stored !== message { counters.missedOffline += missed }
    }

    /// To one device: on its way, or stored until the device is back (Docs/APNs.md section 6, one per bundle ID).
    mutating func send(_ delivery: Delivery, to device: Int, _ inquiry: Inquiry) {
        guard !devices[device].isOnline else { return dispatch(delivery, inquiry.now) }
        let limit = inquiry.now + Limits.pushStoredMilliseconds
        let until = min(inquiry.expirationMilliseconds ?? limit, limit)
        guard until > inquiry.now else {
            counters.missedOffline += 1
            return
        }
        let bundle = inquiry.app?.bundleID ?? ""
        let stored = StoredPush(bundleID: bundle, delivery: delivery, untilMilliseconds: until)
        if let place = devices[device].stored.firstIndex(where: { $0.bundleID == bundle }) {
            devices[device].stored[place] = stored
            counters.storedOverwritten += 1
        } else if devices[device].stored.count < Limits.storedPerDevice {
            devices[device].stored.append(stored)
        } else {
            counters.lost += 1
        }
    }

    /// Puts a delivery on its way: at once, late, or nowhere.
    mutating func dispatch(_ delivery: Delivery, _ now: Int64) {
        if faults.lostOneIn > 0, random.below(Int64(faults.lostOneIn)) == 0 {
            counters.lost += 1
            return
        }
        guard faults.reorderMilliseconds > 0 else { return arrive(delivery, now) }
        guard underWay.count < Limits.deliveriesUnderWay else {
            counters.lost += 1
            return
        }
        underWay.push(delivery, due: now + random.below(faults.reorderMilliseconds + 1))
    }

    /// A delivery reaches its device, if that is still online.
    mutating func arrive(_ delivery: Delivery, _ now: Int64) {
        switch delivery.target {
        case .activity(let index):
            guard devices[activities[index].device].isOnline else {
                counters.missedOffline += 1
                return
            }
            arrive(delivery.message, atActivity: index, now)
        case .start(let token): begin(delivery, token, now)
        case .banner(let device):
            counters.delivered += 1
            guard devices[device].isOnline, delivery.message.ring != nil else { return }
            devices[device].banners += 1
        }
    }

    private mutating func arrive(_ message: Message, atActivity index: Int, _ now: Int64) {
        let reading: StampReading? = faults.sabotage == .reorder ? nil : rules.readings.stamps
        let ringsBefore = activities[index].rings
        activities[index].receive(message, obeying: reading, nowMilliseconds: now, counting: &counters)
        guard faults.sabotage == .doubleRing, activities[index].rings > ringsBefore, let ring = message.ring
        else { return }
        activities[index].ring(ring, &counters)
    }

    /// A push-to-start arrives: a new activity, if the device can have one.
    private mutating func begin(_ delivery: Delivery, _ token: String, _ now: Int64) {
        counters.delivered += 1
        guard let order = delivery.start, let stamp = delivery.message.stampSeconds,
            case .start(let device, _)? = tokens[token]?.kind,
            delivery.message.verdict(for: order.schema).decodes, let way = way(of: order),
            let index = add(
                Activity(device: device, bundleID: order.bundleID, way: way, schema: order.schema), now)
        else {
            counters.startsDropped += 1
            return
        }
        counters.started += 1
        activities[index].begin(delivery.message, stamp: stamp, nowMilliseconds: now, counting: &counters)
    }

    /// How the new activity gets its updates; nil when its channel does not exist.
    private mutating func way(of order: StartOrder) -> Activity.Way? {
        switch order.input {
        case .token:
            guard tokens.count < Limits.tokens else { return nil }
            let token = random.deviceToken(byteCount: 32)
            issuedTokens.append(token)
            return .token(token)
        case .channel(let id): return channels[id]?.bundleID == order.bundleID ? .channel(id) : nil
        }
    }
}
