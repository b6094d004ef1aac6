internal import Cluster
internal import Delivery
internal import Wire

/// The core's thread of every node: its mailbox, its turns, and what its effects lead to.
extension World {
    /// Puts something into a core's mailbox; it is heard within a few milliseconds, together with what else lies there.
    mutating func post(_ mail: CoreMail, to node: Int) {
        nodes[node].inbox.append(mail)
        wakeCore(node, at: time + dice.below(3))
    }

    mutating func wakeCore(_ node: Int, at wanted: Int64) {
        let at = max(wanted, nodes[node].coreStillUntil, time)
        guard at < nodes[node].turnAt else { return }
        nodes[node].turnAt = at
        agenda.plan(.turn(node, run: nodes[node].run), at: at)
    }

    mutating func turn(_ node: Int) {
        guard nodes[node].turnAt <= time else { return }
        nodes[node].turnAt = .max
        guard nodes[node].coreStillUntil <= time else { return wakeCore(node, at: nodes[node].coreStillUntil) }
        let now = nodes[node].now(time)
        if let due = nodes[node].core.nextDeadline, due <= now.bootMilliseconds { apply(.tick, node, now) }
        let inbox = nodes[node].inbox
        nodes[node].inbox.removeAll(keepingCapacity: true)
        for mail in inbox { hear(node, mail, now) }
        endTurn(node, now)
    }

    private mutating func hear(_ node: Int, _ mail: CoreMail, _ now: Moment) {
        switch mail {
        case .input(let input): apply(input, node, now)
        case .client(let origin): route(origin, on: node, hops: 0, now)
        case .forward(let origin, let hops): route(origin, on: node, hops: hops, now)
        case .forwarded(let origin, let answer): plan(.answer(origin, answer), after: dice.between(1, 3))
        }
    }

    mutating func apply(_ input: NodeInput, _ node: Int, _ now: Moment) {
        var out = effects
        effects = []
        nodes[node].core.handle(input, now: now, into: &out)
        carryOut(&out, node, now)
    }

    mutating func endTurn(_ node: Int, _ now: Moment) {
        var out = effects
        effects = []
        nodes[node].core.endTurn(now: now, into: &out)
        carryOut(&out, node, now)
        inspect(node)
        guard let next = nodes[node].core.nextDeadline else { return }
        wakeCore(node, at: max(nodes[node].clock.time(ofBoot: next), time + 1))
    }

    // MARK: Effects

    mutating func carryOut(_ out: inout [NodeEffect], _ node: Int, _ now: Moment) {
        for effect in out { carryOut(effect, node, now) }
        out.removeAll(keepingCapacity: true)
        effects = out
    }

    private mutating func carryOut(_ effect: NodeEffect, _ node: Int, _ now: Moment) {
        switch effect {
        case .store(let batch, let writes, let isRetry):
            hash.mix(batch)
            trace(node, "stores batch \(batch), \(writes.count) rows\(isRetry ? ", again" : "")")
            if nodes[node].disk.write(batch, writes, isRetry: isRetry) { planCommit(node) }
        case .sendControl(let message, let target): sendControl(message, target, node)
        case .sendReplication(let message, let member): sendData(.replication(message), member, node)
        case .reply(let origin, let reply): replied(node, origin, reply)
        case .receipt, .notice, .stage: break
        case .offer(let item, let places): post(.offer(item, places), toLoopOf: node)
        case .withdraw(let tickets): post(.withdraw(tickets), toLoopOf: node)
        case .lease(let until):
            nodes[node].leaseUntil = until
            nodes[node].leaseSaidAt = time
            post(.lease(untilBootMilliseconds: until), toLoopOf: node)
        case .manage(let intent, _, let operation): manage(node, intent, operation)
        case .clusterNotice(let notice): noticed(node, notice)
        case .drained:
            trace(node, "drained")
            plan(.drained(node, run: nodes[node].run), after: 0)
        }
    }

    private mutating func noticed(_ node: Int, _ notice: ClusterNotice) {
        trace(node, "notice \(notice)")
        switch notice {
        case .refused(.removed, _): hearsOfRemoval(node)
        case .tookOver(let shards, _):
            hash.mix(shards)
            nemesis.takeOver(node, at: time)
            if isAimed, dice.chance(perMille: 150) { strike(node, within: 600) }
        case .coordinator(let name?, let term):
            hash.mix(term)
            guard name == Seat.name(node), nemesis.elected(node, term, at: time) else { return }
            report.elections += 1
            overhearElection(of: node)
            if isAimed, dice.chance(perMille: 200) { strike(node, within: 1_500) }
        default: break
        }
    }

    // MARK: Messages

    private mutating func sendControl(_ message: ControlMessage, _ target: MeshTarget, _ node: Int) {
        let address: String
        let header: MeshHeader
        switch target {
        case .member(let member):
            address = member.control
            header = nodes[node].core.header(to: member)
        case .seed(_, let control):
            address = control
            header = nodes[node].core.header(to: nil)
        }
        trace(node, "-> \(address) \(message)")
        if let index = places[address], index != node {
            if case .coordination(.lease(let request, _, _, _)) = message { checkGrant(request, to: index, by: node) }
            if case .consensus(.append(_, _, _, let entries, _, _)) = message { checkPlacing(entries, by: node) }
            overhear(message, from: node, to: index)
        }
        if let problem = checks.sent(message, header, by: node, at: time) { return fail(problem.0, node, problem.1) }
        send(.control(message), header, to: address, node)
    }

    mutating func sendData(_ message: DataMessage, _ member: Member, _ node: Int) {
        let header = nodes[node].core.header(to: member)
        if case .replication(let replication) = message {
            trace(node, "-> \(member.data) \(replication)")
            if let problem = checks.sent(replication, header, by: node) { return fail(problem.0, node, problem.1) }
            if let index = places[member.data], !overhear(replication, from: node, to: index) { return }
        }
        send(.data(message), header, to: member.data, node)
    }

    private mutating func send(_ content: Parcel.Content, _ header: MeshHeader, to address: String, _ node: Int) {
        guard let to = places[address], to != node, nodes[to].isUp else { return }
        var parcel = Parcel(from: node, to: to, toRun: nodes[to].run, header: header, content: content)
        arrivals.removeAll(keepingCapacity: true)
        network.send(&parcel, now: time, dice: &dice, arrivals: &arrivals)
        for arrival in arrivals { agenda.plan(.arrive(parcel), at: arrival) }
    }

    mutating func arrive(_ parcel: Parcel) {
        hash.mix(parcel.from * 16 + parcel.to)
        let to = parcel.to
        guard nodes[to].isUp, nodes[to].run == parcel.toRun, network.arrives(parcel, dice: &dice) else { return }
        checks.arrived(parcel, at: time)
        switch parcel.content {
        case .control(let message): post(.input(.control(message, parcel.header)), to: to)
        case .data(.replication(let message)):
            trace(to, "<- n\(parcel.from + 1) \(message)")
            post(.input(.replication(message, parcel.header)), to: to)
        case .data(.forward(let forward)):
            post(.forward(forward.request, hops: forward.hops), to: to)
        case .data(.forwarded(let forwarded)):
            guard let answer = answersUnderWay.removeValue(forKey: forwarded.request) else { return }
            post(.forwarded(forwarded.request, answer), to: to)
        }
    }
}
