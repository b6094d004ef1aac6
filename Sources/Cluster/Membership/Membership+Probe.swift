import Delivery
import Wire

extension Membership {
    /// What an ailing node waits instead of `milliseconds` (Lifeguard's LHA-Probe).
    func stretched(_ milliseconds: Int64) -> Int64 { milliseconds * Int64(health + 1) }

    mutating func runProbe(now: Moment, into effects: inout [MembershipEffect]) {
        let time = now.bootMilliseconds
        if let current = probe {
            if current.isAnswered {
                if time >= current.end { probe = nil }
            } else if let ask = current.askDeadline {
                if time >= ask { askOthers(now: now, into: &effects) }
            } else if time >= current.end {
                probe = nil
                conclude(current, now: now, into: &effects)
            }
        }
        if probe == nil, time >= probeDue { startProbe(now: now, into: &effects) }
    }

    private mutating func startProbe(now: Moment, into effects: inout [MembershipEffect]) {
        guard let index = nextToProbe(now: now) else { return }
        let time = now.bootMilliseconds
        let peer = table[index]
        let sequence = sendPing(to: index, now: now, into: &effects)
        let end = time + stretched(settings.probeMilliseconds)
        probe = Probe(
            sequence: sequence, node: peer.id, incarnation: peer.incarnation,
            askDeadline: time + stretched(settings.timeoutMilliseconds), end: end)
        probeDue = end
        counters.probes += 1
    }

    /// Everybody present once, then again, in the order of the IDs. The clock says whose turn it is, so that members
    /// with the same table probe different members in each interval, and each is probed by another one in every
    /// interval: with random orders some are left alone for 2 s now and then. A clock that is wrong only changes the
    /// turn.
    private mutating func nextToProbe(now: Moment) -> Int? {
        let present = table.indices.filter { table[$0].isPresent }
        guard !present.isEmpty else { return nil }
        let turn = min(max(0, now.wallMilliseconds), Self.wallMost) / settings.probeMilliseconds
        probeTurn = turn > probeTurn ? turn : probeTurn + 1
        let place = present.count { table[$0].id < me.id }
        return present[(place + Int(probeTurn % Int64(present.count))) % present.count]
    }

    /// Sends a ping and remembers when.
    @discardableResult
    mutating func sendPing(to index: Int, now: Moment, into effects: inout [MembershipEffect]) -> UInt32 {
        sequence &+= 1
        let member = table[index].member
        if sent.count >= Self.sentMax { sent.removeFirst(sent.count - Self.sentMax + 1) }
        sent.append(SentPing(sequence: sequence, node: member.id, bootMilliseconds: now.bootMilliseconds))
        effects.append(.send(.ping(sequence: sequence, gossip(for: member.id, now: now)), to: member))
        return sequence
    }

    private mutating func askOthers(now: Moment, into effects: inout [MembershipEffect]) {
        guard var current = probe else { return }
        current.askDeadline = nil
        let target = current.node
        if let index = table.index(of: target) {
            // Once more, and with a description: a run that has just begun may not know where to answer.
            table[index].knowsUs = false
            let gossip = gossip(for: target, now: now)
            effects.append(.send(.ping(sequence: current.sequence, gossip), to: table[index].member))
        }
        for index in choose(settings.indirectProbes, where: { $0.state == .alive && $0.id != target }) {
            let member = table[index].member
            current.relays.append(member.id)
            let gossip = gossip(for: member.id, now: now)
            effects.append(
                .send(.pingRequest(sequence: current.sequence, node: target, gossip), to: member))
        }
        if !current.relays.isEmpty { counters.indirect += 1 }
        // Called late: those asked get their time all the same.
        let wait = stretched(settings.probeMilliseconds - settings.timeoutMilliseconds)
        current.end = max(current.end, now.bootMilliseconds + wait)
        probeDue = current.end
        probe = current
    }

    /// Nobody got an answer.
    private mutating func conclude(_ probe: Probe, now: Moment, into effects: inout [MembershipEffect]) {
        counters.failures += 1
        // Relays that say nothing at all hint at this node, not at the one that was probed.
        changeHealth(by: probe.relays.count - probe.nacks.count)
        let verdict = Verdict(state: .suspect, node: probe.node, incarnation: probe.incarnation, accuser: me.id)
        _ = take(verdict, now: now, into: &effects)
    }

    mutating func takeAck(
        _ number: UInt32, _ gossip: Gossip, from sender: NodeID, now: Moment, into effects: inout [MembershipEffect]
    ) {
        let ping = sent.first { $0.sequence == number && $0.node == sender }
        if let ping {
            sent.removeAll { $0.sequence == number }
            noteClock(of: sender, gossip, roundTrip: now.bootMilliseconds - ping.bootMilliseconds, now, into: &effects)
        }
        if let place = relays.firstIndex(where: { $0.sequence == number && $0.node == sender }) {
            let relay = relays.remove(at: place)
            if let origin = table.index(of: relay.origin) {
                let gossip = self.gossip(for: relay.origin, now: now)
                effects.append(.send(.ack(sequence: relay.originSequence, gossip), to: table[origin].member))
            }
            return
        }
        guard var current = probe, current.sequence == number,
            sender == current.node || current.relays.contains(sender)
        else {
            if ping != nil { counters.staleAcks += 1 }
            return
        }
        guard !current.isAnswered else { return }
        current.isAnswered = true
        probe = current
        counters.acks += 1
        changeHealth(by: -1)
        // Only others reach it: it may not know this run of ours, so the next ping says who we are.
        if sender != current.node, let index = table.index(of: current.node) { table[index].knowsUs = false }
    }

    mutating func takeNack(_ number: UInt32, from sender: NodeID) {
        guard var current = probe, current.sequence == number, current.relays.contains(sender),
            !current.nacks.contains(sender)
        else { return }
        current.nacks.append(sender)
        probe = current
    }

    /// Probes `node` for another member.
    mutating func relay(
        _ number: UInt32, to node: NodeID, for origin: Member, now: Moment, into effects: inout [MembershipEffect]
    ) {
        guard let index = table.index(of: node), relays.count < settings.relaysMax else {
            if table.index(of: node) != nil { counters.overflow += 1 }
            effects.append(.send(.nack(sequence: number), to: origin))
            return
        }
        let sequence = sendPing(to: index, now: now, into: &effects)
        let time = now.bootMilliseconds
        relays.append(
            Relay(
                sequence: sequence, node: node, origin: origin.id, originSequence: number,
                nackDeadline: time + settings.timeoutMilliseconds * 4 / 5,
                end: time + settings.timeoutMilliseconds * Int64(settings.healthMax + 1)))
    }

    mutating func runRelays(now: Moment, into effects: inout [MembershipEffect]) {
        let time = now.bootMilliseconds
        relays.removeAll { time >= $0.end }
        for place in relays.indices {
            guard let due = relays[place].nackDeadline, time >= due else { continue }
            relays[place].nackDeadline = nil
            guard let origin = table.index(of: relays[place].origin) else { continue }
            effects.append(.send(.nack(sequence: relays[place].originSequence), to: table[origin].member))
        }
    }

    /// Compares clocks; answers that took long say too little.
    private mutating func noteClock(
        of sender: NodeID, _ gossip: Gossip, roundTrip: Int64, _ now: Moment, into effects: inout [MembershipEffect]
    ) {
        guard let index = table.index(of: sender), (0...settings.timeoutMilliseconds).contains(roundTrip),
            (0...Self.wallMost).contains(gossip.wallMilliseconds), (0...Self.wallMost).contains(now.wallMilliseconds)
        else { return }
        let offset = gossip.wallMilliseconds - (now.wallMilliseconds - roundTrip / 2)
        table[index].clock = ClockSample(offset: offset, roundTrip: roundTrip)
        guard let median = medianOffset else { return }
        let difference = offset - median
        let isOff = abs(difference) > (table[index].isClockOff ? 500 : 1_000)
        if isOff, !table[index].isClockOff {
            effects.append(.notice(.clockOff(name: table[index].member.name, milliseconds: difference)))
        }
        table[index].isClockOff = isOff
    }

    /// The year 9999: clocks beyond it are nonsense, and sums of them might overflow.
    static var wallMost: Int64 { 253_402_300_799_999 }
}
