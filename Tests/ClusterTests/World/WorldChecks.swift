import Delivery
import LiveActivity
import Wire

@testable import Cluster

/// What producers and devices do, and the promises.
extension World {
    mutating func publish(_ index: Int) {
        guard !isHealed else { return }
        plan(.publish(index), after: producers[index].period)
        if producers[index].key.kind == .activity { addTokens(index, instance: producers[index].instance) }
        guard let sent = producers[index].next(&dice, at: time) else { return }
        send(index, sent)
        plan(.resend(index), after: 1_000)
    }

    private mutating func send(_ index: Int, _ sent: WorldProducer.Sent) {
        lastOrigin += 1
        origins[lastOrigin] = index
        producers[index].unanswered[lastOrigin] = sent
        turnOwner(of: producers[index].key, .publish(producers[index].input(sent, origin: lastOrigin)))
    }

    /// Repeats what got no answer, with the same event IDs.
    mutating func resend(_ index: Int) {
        let old = producers[index].unanswered.filter { $0.value.at + 900 <= time }
        guard !old.isEmpty else { return }
        for (origin, sent) in old.sorted(by: { $0.value.number < $1.value.number }) {
            producers[index].unanswered[origin] = nil
            var again = sent
            again.at = time
            send(index, again)
        }
        plan(.resend(index), after: 1_000)
    }

    mutating func register(_ device: Int) {
        guard let place = audience.first(where: { $0.value == [device] })?.key else { return }
        let key = producers[devices[device].key].key
        guard isServed(key) else { return plan(.register(device), after: 500) }
        lastOrigin += 1
        registrations[lastOrigin] = place
        turnOwner(
            of: key,
            .register(
                RegisterInput(origin: lastOrigin, key: key, instance: UInt32(place.address[1]), destination: place)))
        // A registration may be lost with the node; clients repeat it.
        if !isHealed { plan(.register(device), after: 2_000) }
    }

    mutating func goOnline(_ device: Int, _ isOnline: Bool) {
        guard isOnline || !isHealed else { return }
        devices[device].isOnline = isOnline
        guard isOnline, let stored = devices[device].stored else { return }
        devices[device].stored = nil
        show(device, stored)
    }

    mutating func show(_ device: Int, _ message: WorldMessage) {
        if !devices[device].isOnline {
            // It went offline meanwhile: APNs keeps the message for a token, and nothing for this channel.
            if audience.contains(where: { $0.key.kind == .token && $0.value.contains(device) }),
                (devices[device].stored?.stamp ?? 0) < message.stamp
            {
                devices[device].stored = message
            }
            return
        }
        if let problem = devices[device].receive(message) { note("device \(device): \(problem)") }
    }

    mutating func checkSend(_ place: Destination, _ message: WorldMessage) {
        let lead = message.stamp - now.wallMilliseconds / 1000
        leadMax = max(leadMax, lead)
        // Every take-over counts what it finds as handed and may have to step over it.
        let takeOvers = epochs[guest.shard(of: producers[message.key].key), default: 1] - 1
        if lead > 3 + Int64(takeOvers) { note("the stamp of key \(message.key) leads the clock by \(lead) s") }
        if lead < -10 { note("the stamp of key \(message.key) is \(-lead) s old") }
        if message.event == .end {
            sentEnds[place, default: []].insert(message.instance)
        } else if sentEnds[place]?.contains(message.instance) == true {
            note("an update of key \(message.key) was sent after the end of instance \(message.instance)")
        }
    }

    /// A new owner has everything that was acknowledged.
    mutating func checkNothingLost(_ owner: OwnerCore, _ shard: UInt16? = nil) {
        for producer in producers where shard == nil || owner.shard(of: producer.key) == shard {
            guard owner.owns(owner.shard(of: producer.key)), let instance = producer.acknowledged.keys.max() else {
                continue
            }
            let record = owner.index[producer.key].flatMap { owner.slots[$0].record }
            let number = record.map { WorldProducer.number($0.payload[4..<7]) } ?? 0
            let acknowledged = producer.acknowledged[instance] ?? 0
            guard
                Int(record?.instance ?? 0) < instance || Int(record?.instance ?? 0) == instance && number < acknowledged
            else { continue }
            note("key \(producer.index)#\(instance) was at \(acknowledged) and is at \(number)")
        }
    }

    /// After everything has come to rest.
    mutating func check() {
        guard problems.isEmpty else { return }
        let waiting = core.owner.waitingCount + guest.waitingCount
        if waiting > 0 { note("\(waiting) keys still wait") }
        let heldBack = core.heldBackCount + guest.heldBackCount
        if heldBack > 0 { note("\(heldBack) effects still wait for the disk") }
        let age = max(core.ageOfNewestUnsent(now: now), guest.ageOfNewestUnsent(now: now))
        if age > 0 { note("a newest state is unsent for \(age) ms") }
        for (place, followers) in audience.sorted(by: { $0.value[0] < $1.value[0] })
        where (place.kind == .channel || registered.contains(place)) && !dead.contains(place) {
            for device in followers { checkDevice(device, place) }
        }
    }

    private mutating func checkDevice(_ device: Int, _ place: Destination) {
        let producer = producers[devices[device].key]
        let instances = place.kind == .token ? [Int(place.address[1])] : [producer.acknowledged.keys.max() ?? 1]
        for instance in instances {
            guard let newest = producer.acknowledged[instance] else { continue }
            let shown = devices[device].strict[instance]
            if (shown?.number ?? -1) < newest {
                note(
                    "device \(device) of key \(devices[device].key)#\(instance)"
                        + " shows \(shown?.number ?? -1), not \(newest)"
                )
            }
            if producer.ended.contains(instance), shown?.hasEnded != true {
                note("device \(device) of key \(devices[device].key)#\(instance) has not ended")
            }
        }
    }
}
