internal import Cluster
internal import Wire

/// More disks are lost for good than the copies can bear, and an operator says that what they had is lost.
extension World {
    /// How long after everything works again the operator looks for the first time and how often then; he gives up
    /// early enough for the copies to grow before the end. In milliseconds.
    private static var operatorWaits: Int64 { 8_000 }
    private static var operatorLooks: Int64 { 2_000 }
    private static var operatorRests: Int64 { 20_000 }
    /// His requests have no producer who waits.
    private static var operatorOrigin: UInt64 { 1 << 62 }

    /// Once: two of the three replicas of a shard with something in it lose their disks at the same moment.
    mutating func plotLosses() {
        guard scheme.lostShards.isEmpty, time < options.chaosMilliseconds - 8_000, isWhole, let leader,
            mayBegin(restMilliseconds: scheme.dice.between(3_000, 12_000))
        else { return }
        let placement = nodes[leader].core.state.placement
        let shard = shardNumber(ofProducer: scheme.dice.below(producers.count))
        var victims = placement[shard].replicas
        victims.remove(at: scheme.dice.below(victims.count))
        trace(nil, "plan: more is lost than the copies bear")
        for shard in shards where placement[shard].replicas.count(where: victims.contains) > 1 {
            scheme.lostShards.insert(shard)
        }
        for victim in victims { if let node = nodeIndex(of: victim) { wipe(node) } }
        plan(
            .operatorLooks,
            after: options.chaosMilliseconds - time + Self.operatorWaits)
    }

    /// The machine comes back with an empty disk.
    mutating func wipe(_ node: Int) {
        report.disksLost += 1
        trace(node, "loses its disk")
        crash(node, downMilliseconds: dice.between(500, 6_000))
        nodes[node].lostAt = time
        if let id = nodes[node].core.record?.id { lostIdentities[id] = time }
        nodes[node].lostEvents = [:]
        for index in producers.indices { nodes[node].lostEvents[index] = nodes[node].disk.newest(index) }
        nodes[node].disk = SimulatedDisk()
    }

    /// The operator gives his word for what is stuck because of those disks, and for nothing else.
    mutating func operatorLooks() {
        guard time < options.chaosMilliseconds + options.restMilliseconds - Self.operatorRests else { return }
        plan(.operatorLooks, after: Self.operatorLooks)
        guard let leader else { return }
        let stuck = nodes[leader].core.stuckShards(now: nodes[leader].now(time)).map(\.shard)
            .filter(scheme.lostShards.contains)
        guard !stuck.isEmpty else { return }
        trace(leader, "the operator accepts the loss of \(stuck)")
        report.shardsRecovered += stuck.count
        for shard in stuck { giveUp(shard) }
        post(.input(.acceptLoss(origin: Self.operatorOrigin, of: Set(stuck))), to: leader)
    }

    /// What was acknowledged there may be lost. Its producers know: they repeat nothing that is older than what devices
    /// may show, and apps register their tokens again. That devices do not go back is still promised.
    private mutating func giveUp(_ shard: UInt16) {
        checks.copies.forget(shard)
        for index in producers.indices where shardNumber(ofProducer: index) == shard {
            checks.deliveries.forget(producer: index)
            producers[index].loseAnswers()
            for phone in phones.indices where phones[phone].producer == index && phones[phone].token != nil {
                guard phones[phone].instance == producers[index].instance else {
                    phones[phone].isDead = true
                    continue
                }
                phones[phone].isRegistered = false
                plan(.retry(.register(phone: phone)), after: dice.between(1_000, 3_000))
            }
        }
        guard shard == Shard.registry else { return }
        for device in startDevices.indices {
            startDevices[device].registeredAt = nil
            plan(.retry(.device(device)), after: dice.between(1_000, 3_000))
        }
    }
}
