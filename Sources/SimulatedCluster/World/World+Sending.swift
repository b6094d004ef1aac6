internal import Cluster
internal import Delivery
internal import LiveActivity

/// The sending loop of every node: its mailbox, its turns, and the bytes that leave for APNs.
extension World {
    mutating func post(_ mail: SendingMail, toLoopOf node: Int) {
        nodes[node].mail.append(mail)
        wakeLoop(node, at: time + dice.below(3))
    }

    mutating func wakeLoop(_ node: Int, at wanted: Int64) {
        let at = max(wanted, nodes[node].loopStillUntil, time)
        guard at < nodes[node].loopAt else { return }
        nodes[node].loopAt = at
        agenda.plan(.loop(node, run: nodes[node].run), at: at)
    }

    mutating func runLoop(_ node: Int) {
        guard nodes[node].loopAt <= time else { return }
        nodes[node].loopAt = .max
        guard nodes[node].loopStillUntil <= time else { return wakeLoop(node, at: nodes[node].loopStillUntil) }
        let now = nodes[node].now(time)
        var out = sending
        sending = []
        let mail = nodes[node].mail
        nodes[node].mailReadAt = time
        nodes[node].mail.removeAll(keepingCapacity: true)
        for letter in mail { nodes[node].loop.take(letter, now: now, into: &out) }
        nodes[node].loop.run(now: now, into: &out)
        carryOut(&out, node)
    }

    /// Bytes leave some time after they were chosen; a pause in between is what the second check of the lease is for.
    mutating func flush(_ node: Int) {
        guard nodes[node].loopStillUntil <= time else {
            return agenda.plan(.flush(node, run: nodes[node].run), at: nodes[node].loopStillUntil)
        }
        var out = sending
        sending = []
        nodes[node].loop.flush(now: nodes[node].now(time), into: &out)
        carryOut(&out, node)
        nodes[node].mailReadBeforeChoice = .min
    }

    mutating func carryOut(_ out: inout [SendingEffect], _ node: Int) {
        for effect in out { carryOut(effect, node) }
        out.removeAll(keepingCapacity: true)
        sending = out
        noteReach(node)
        guard let next = nodes[node].loop.nextDeadline else { return }
        wakeLoop(node, at: max(nodes[node].clock.time(ofBoot: next), time + 1))
    }

    /// The core hears of it some time later.
    private mutating func noteReach(_ node: Int) {
        let reach = nodes[node].loop.pool.reach
        guard reach != nodes[node].reach else { return }
        nodes[node].reach = reach
        post(.input(.reach(reach)), to: node)
    }

    private mutating func carryOut(_ effect: SendingEffect, _ node: Int) {
        let run = nodes[node].run
        switch effect {
        case .report(let reports): post(.input(.report(reports)), to: node)
        case .chosen:
            if nodes[node].mailReadBeforeChoice == .min {
                nodes[node].mailReadBeforeChoice = nodes[node].mailReadAt
                nodes[node].choseAt = time
            }
            plan(.flush(node, run: run), after: dice.below(2))
            if nemesis.pausesBetweenCheckAndWrite(&dice, aimed: isAimed) {
                befall(.stallLoop(node, milliseconds: dice.between(200, 8_000)))
            }
        case .write(let id, let connection, let place, let item): write(node, id, connection, place, item)
        case .connect(let id):
            let isOpen = appleWeather.isReached(by: node, at: time)
            let news: AppleNews = isOpen ? .opened(id) : .failedToOpen(id)
            plan(.apple(node, run: run, news), after: isOpen ? dice.between(3, 40) : dice.between(100, 1_000))
        case .close(let id):
            close(node, id)
            plan(.apple(node, run: run, .closed(id, asked: true)), after: 1)
        case .ping(let id):
            guard appleWeather.isReached(by: node, at: time) else { return }
            plan(.apple(node, run: run, .pong(id)), after: dice.between(5, 60))
        }
    }

    private mutating func write(
        _ node: Int, _ id: SendID, _ connection: ConnectionID, _ place: Destination, _ item: PushItem
    ) {
        report.sends += 1
        guard let mark = EventMark(in: item.payload) else { return fail(.liveness, node, "a payload without a mark") }
        trace(node, "writes \(mark) v\(item.sequence) stamp \(item.stampSeconds)\(item.quiet ? " quiet" : "")")
        if place.kind == .startToken, isAimed, dice.chance(perMille: 200) { strike(node, within: 40) }
        checkLease(node)
        checkPlace(node, mark.producer)
        checkAge(node, item)
        if let text = checks.written(mark, item, wallMilliseconds: SimulatedClock.start + time) {
            return fail(text.0, node, text.1)
        }
        guard let number = nodes[node].connections[connection.rawValue], var link = links[number] else { return }
        var body: [UInt8] = []
        guard
            item.layout.render(item.payload.span, stampSeconds: item.stampSeconds, quiet: item.quiet, into: &body)
        else { return fail(.liveness, node, "a payload that does not render") }
        let stream = link.take(id)
        link.lastArrival = max(link.lastArrival, time + appleWeather.latency(&dice))
        links[number] = link
        let push = PushUnderWay(
            node: node, run: nodes[node].run, id: id, connection: connection, appleConnection: number, stream: stream,
            destination: place, item: item, body: body,
            losesAnswer: dice.chance(perMille: appleWeather.lostAnswersPerMille))
        agenda.plan(.push(push), at: link.lastArrival)
        if dice.chance(perMille: appleWeather.cutsPerMille) { cutApple(node, number) }
    }

    /// What a node may write is what the coordinator has granted it, counted generously.
    private mutating func checkLease(_ node: Int) {
        let now = nodes[node].now(time).bootMilliseconds
        // The loop hears of a lease that was taken back a few milliseconds later than the core said so.
        guard now >= nodes[node].leaseUntil, time > nodes[node].leaseSaidAt + 5, options.mutant != .sendWithoutLease
        else { return checkGrant(node) }
        fail(.leaseBeforeWrite, node, "writes to APNs \(now - nodes[node].leaseUntil) ms after its lease")
    }

    /// Rule S2: an item is chosen with a stamp of at most 10 s by the node's own clock.
    private mutating func checkAge(_ node: Int, _ item: PushItem) {
        let age = nodes[node].now(nodes[node].choseAt).wallMilliseconds / 1000 - item.stampSeconds
        guard age > 12 else { return }
        fail(.stampsGrow, node, "chooses a version whose stamp is \(age) s old")
    }

    private mutating func checkGrant(_ node: Int) {
        let voters = nodes[node].core.voters.count
        guard let over = checks.leases.excess(node, voters: voters, at: time) else { return }
        fail(.leaseBeforeWrite, node, "writes to APNs \(over) ms after what the coordinator granted it")
    }
}
