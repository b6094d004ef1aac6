public import Delivery
import Wire

extension Membership {
    /// Does what is due. Calls that come too early do nothing.
    public mutating func tick(now: Moment, into effects: inout [MembershipEffect]) {
        let time = now.bootMilliseconds
        if hasStarted { noticeStandstill(time) } else { start(time) }
        if !isLeaving { endSuspicions(now: now, into: &effects) }
        runRelays(now: now, into: &effects)
        if !isLeaving { runProbe(now: now, into: &effects) }
        runGossip(now: now, into: &effects)
        if !isLeaving { runExchange(now: now, into: &effects) }
        runDeadProbe(now: now, into: &effects)
        runSeeds(now: now, into: &effects)
        recount()
        announceDeadline(time)
    }

    /// At the end of each call.
    mutating func announceDeadline(_ time: Int64) { announcedDeadline = max(time, nextDeadline) }

    /// Nodes that start together must not probe in step.
    private mutating func start(_ time: Int64) {
        hasStarted = true
        probeDue = time + random.below(settings.probeMilliseconds)
        gossipDue = time
        deadProbeDue = time + random.below(settings.deadProbeMilliseconds)
        seedDue = time
        exchangeDue = time + random.below(settings.exchangeMilliseconds)
    }

    /// A node that was not running cannot blame others for their silence meanwhile: their answers may lie unread.
    mutating func noticeStandstill(_ time: Int64) {
        guard hasStarted else { return }
        let lateness = time - announcedDeadline
        guard lateness > settings.timeoutMilliseconds else { return }
        counters.stalls += 1
        changeHealth(by: 1)
        let extra = lateness + settings.timeoutMilliseconds
        probeDue += extra
        probe?.end += extra
        if let ask = probe?.askDeadline { probe?.askDeadline = ask + extra }
        for index in table.indices { table[index].suspicion?.prolong(by: extra) }
        relays.removeAll()
        gossipDue = max(gossipDue, time)
        deadProbeDue = max(deadProbeDue, time)
        seedDue = max(seedDue, time)
        exchangeDue = max(exchangeDue, time)
        recount()
    }

    private mutating func endSuspicions(now: Moment, into effects: inout [MembershipEffect]) {
        guard now.bootMilliseconds >= earliestSuspicion else { return }
        for index in table.indices {
            guard let suspicion = table[index].suspicion, now.bootMilliseconds >= suspicion.deadline else { continue }
            setState(.dead, at: index, by: me.id, now: now, into: &effects)
        }
    }

    private mutating func runGossip(now: Moment, into effects: inout [MembershipEffect]) {
        guard now.bootMilliseconds >= gossipDue, hasNews, presentCount > 0 else { return }
        gossipDue = now.bootMilliseconds + settings.gossipMilliseconds
        for index in choose(settings.gossipPeers, where: { $0.isPresent }) {
            let member = table[index].member
            let gossip = gossip(for: member.id, now: now)
            guard !gossip.updates.isEmpty else { continue }
            effects.append(.send(.gossip(gossip), to: member))
        }
    }

    private mutating func runExchange(now: Moment, into effects: inout [MembershipEffect]) {
        guard now.bootMilliseconds >= exchangeDue else { return }
        exchangedAt = now.bootMilliseconds
        exchangeDue = now.bootMilliseconds + exchangeInterval
        let back = reunited.flatMap { table.index(of: $0) }
        reunited = nil
        guard let index = back ?? choose(1, where: { $0.state == .alive }).first else { return }
        sendExchange(to: index, isReply: false, now: now, into: &effects)
    }

    /// The two sides of a parted cluster hold each other for dead; each member must hear of it to contradict.
    mutating func reunite(with id: NodeID, now: Moment) {
        reunited = id
        let soonest = max(now.bootMilliseconds, exchangedAt + settings.aloneMilliseconds)
        exchangeDue = min(exchangeDue, soonest + random.below(settings.aloneMilliseconds))
    }

    /// Twice as many members above 32 make the interval longer by one.
    private var exchangeInterval: Int64 {
        var scale: Int64 = 1
        var members = 32
        while members < presentCount + 1 {
            members *= 2
            scale += 1
        }
        return settings.exchangeMilliseconds * scale
    }

    /// Nobody is forgotten: a partition of any length ends because both sides go on knocking.
    private mutating func runDeadProbe(now: Moment, into effects: inout [MembershipEffect]) {
        guard now.bootMilliseconds >= deadProbeDue else { return }
        deadProbeDue = now.bootMilliseconds + settings.deadProbeMilliseconds
        guard !isLeaving, let index = choose(1, where: { !$0.isPresent }).first else { return }
        counters.deadProbes += 1
        sendPing(to: index, now: now, into: &effects)
    }

    /// Asks seeds that are not known to live: often while alone, then ever more seldom.
    private mutating func runSeeds(now: Moment, into effects: inout [MembershipEffect]) {
        guard now.bootMilliseconds >= seedDue else { return }
        let isAlone = presentCount == 0
        if isAlone {
            seedDelay = settings.aloneMilliseconds
            bound = .none
        }
        seedDue = now.bootMilliseconds + seedDelay
        if !isAlone { seedDelay = min(2 * seedDelay, settings.deadProbeMilliseconds) }
        guard !isLeaving else { return }
        var absent = seeds.filter { table.named($0.name)?.isPresent != true }
        for _ in 0..<min(isAlone ? settings.joinSeeds : 1, absent.count) {
            let seed = absent.remove(at: Int(random.below(Int64(absent.count))))
            counters.deadProbes += 1
            effects.append(
                .sendToSeed(name: seed.name, control: seed.control, .join(clusterName: clusterName, me)))
        }
    }
}
