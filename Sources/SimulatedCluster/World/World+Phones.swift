internal import Delivery

/// Devices and the activities on them.
extension World {
    private var wall: Int64 { SimulatedClock.start + time }

    /// Tokens belong to one instance of an activity: each instance gets devices of its own, the first at once.
    mutating func addPhones(_ producer: Int, instance: Int) {
        for number in 0..<1 + dice.below(2) {
            guard let made = apple.addActivity(now: wall) else { return }
            let place = Destination(kind: .token, app: 0, address: made.token)
            audience[place, default: []].append(phones.count)
            phones.append(
                Phone(
                    producer: producer, instance: instance, device: made.device, activity: made.activity,
                    token: made.token))
            let wait = number == 0 ? 0 : dice.between(0, 8_000)
            plan(.retry(.register(phone: phones.count - 1)), after: 700 + wait)
            if !isHealed, dice.chance(perMille: 50) { plan(.die(phone: phones.count - 1), after: dice.below(20_000)) }
            goOffline(phones.count - 1)
        }
    }

    /// The channel exists: devices follow it.
    mutating func made(_ producer: Int, _ id: [UInt8]) {
        guard producers[producer].channelID == nil else { return }
        producers[producer].channelID = id
        let place = Destination(kind: .channel, app: 0, address: id)
        if let problem = checks.channels.made(producer, id) { return fail(.acceptedSurvives, nil, problem) }
        for _ in 0..<2 {
            guard let follower = apple.addFollower(channelID: id, now: wall) else {
                return fail(.acceptedSurvives, nil, "a channel was answered that APNs does not have")
            }
            audience[place, default: []].append(phones.count)
            phones.append(
                Phone(
                    producer: producer, instance: 1, device: follower.device, activity: follower.activity,
                    isRegistered: true))
            // Without storage a device that is offline gets nothing afterwards.
            if producer % 4 == 0 { goOffline(phones.count - 1) }
        }
    }

    mutating func registered(_ phone: Int) {
        phones[phone].isRegistered = true
        // A next instance has begun: the end of this one is sent to a newcomer once, and not again after a crash.
        if producers[phones[phone].producer].instance > phones[phone].instance { phones[phone].isLate = true }
    }

    private mutating func goOffline(_ phone: Int) {
        guard faults.contains(.offline), !isHealed, dice.chance(perMille: 300) else { return }
        let from = dice.between(1_000, 20_000)
        plan(.online(phone: phone, false), after: from)
        plan(.online(phone: phone, true), after: from + dice.between(300, 9_000))
    }

    mutating func setOnline(_ phone: Int, _ isOnline: Bool) {
        guard isOnline || !isHealed, phones[phone].isOnline != isOnline else { return }
        phones[phone].isOnline = isOnline
        // What was under way to it is lost, which no sender can know.
        if !isOnline, phones[phone].lastArrival > time - 4_000 { phones[phone].mayBeBehind = true }
        apple.setOnline(isOnline, device: phones[phone].device, now: wall)
        planDelivery()
    }

    mutating func die(_ phone: Int) {
        guard !isHealed, let token = phones[phone].token else { return }
        phones[phone].isDead = true
        apple.kill(token: token, now: wall)
    }
}
