internal import Cluster
internal import Codes
internal import Delivery
internal import Loops
internal import Messaging
internal import Telemetry
internal import Wire

/// What leaves for other nodes.
extension CoreLoop {
    /// How often connections of members that are gone are let go, in milliseconds.
    private static let sweepMilliseconds: Int64 = 5000

    /// Sends a control message, now or not at all.
    func send(_ message: ControlMessage, to target: MeshTarget, now: Moment) {
        guard let mesh, let record = core.record else { return }
        var header = MeshHeader(
            cluster: core.charter?.cluster ?? .none, sender: record.id, generation: record.generation)
        let name: String
        switch target {
        case .member(let member):
            guard connect(member, now: now) else { return }
            header.target = member.id
            header.targetGeneration = member.incarnation.generation
            name = member.name
            notePing(message, to: member.id)
        case .seed(let seed, let control):
            connect(seed: seed, control: control, now: now)
            name = seed
        }
        if mesh.sendControl(MeshFrame.encode(message, header), to: name) != .sent { counters.controlUnsent += 1 }
    }

    /// Measures pings to those who should answer. The dead are pinged for ever.
    private func notePing(_ message: ControlMessage, to node: NodeID) {
        guard case .membership(.ping(let sequence, _)) = message, let state = core.member(node)?.state,
            state == .alive || state == .suspect
        else { return }
        pingTimes.sent(sequence, to: node, now: Clock.monotonicNanoseconds() / 1000)
    }

    /// Adds a message to the turn's frame for a member.
    func send(_ message: DataMessage, to member: Member, now: Moment) {
        guard let mesh, let record = core.record, let charter = core.charter, connect(member, now: now) else { return }
        let header = MeshHeader(
            cluster: charter.cluster, sender: record.id, generation: record.generation, target: member.id,
            targetGeneration: member.incarnation.generation)
        outbox.add(message, to: member, header: header) { member, bytes in
            mesh.sendData(bytes, to: member.name) == .sent
        }
    }

    /// Sends the turn's frames. Requests that could not leave are refused at once: their callers may come again.
    func flushMesh() {
        guard let mesh else { return }
        outbox.flush { member, bytes in mesh.sendData(bytes, to: member.name) == .sent }
        guard !outbox.unsent.isEmpty else { return }
        for origin in outbox.takeUnsent() where forwards.takeBack(origin) {
            counters.forwardsUnsent += 1
            if let request = requests.take(origin) { refuse(request, Fault(.shardMoves, "its node is not connected")) }
        }
    }

    /// Sees that the mesh knows a member's address; false when another node of that name is meant by now.
    private func connect(_ member: Member, now: Moment) -> Bool {
        guard peers.isNew(member) else { return true }
        guard core.member(named: member.name)?.id == member.id else {
            counters.namesakes += 1
            return false
        }
        let state = core.member(member.id)?.state
        let isGone = state == .dead || state == .left
        if isGone, let seed = peers.seeds[member.name], seed != member.control {
            // Somebody who is dead may come back where the configuration says.
            connect(member.name, control: seed, data: nil, now: now)
            return true
        }
        connect(member.name, control: member.control, data: member.data, now: now)
        if peers.connected(member) { mesh?.dialAgain(member.name, now: now.bootMilliseconds) }
        return true
    }

    /// A node of the configuration is looked for there, unless it lives where it says itself.
    private func connect(seed name: String, control: String, now: Moment) {
        let known = core.member(named: name)
        let state = known.flatMap { core.member($0.id)?.state }
        guard state != .alive, state != .suspect else { return }
        peers.forget(name)
        connect(name, control: control, data: known?.control == control ? known?.data : nil, now: now)
    }

    private func connect(_ name: String, control: String, data: String?, now: Moment) {
        do throws(Fault) {
            try mesh?.connect(name, control: control, data: data, now: now.bootMilliseconds)
        } catch {
            guard peers.mayComplain(about: name, now: now.bootMilliseconds) else { return }
            log.warning(
                "node not reachable", ["member": .string(name), "code": .string(error.code.id), "error": .text(error)])
        }
    }

    /// Keeps connections going, and lets those go whose members are gone for good.
    func maintainMesh(now: Moment) {
        guard let mesh else { return }
        mesh.maintain(now: now.bootMilliseconds)
        guard now.bootMilliseconds >= meshSweepAt else { return }
        meshSweepAt = now.bootMilliseconds + Self.sweepMilliseconds
        for name in peers.names where core.member(named: name) == nil {
            peers.remove(name)
            mesh.disconnect(name)
        }
        outbox.keep { core.member($0) != nil }
    }
}
