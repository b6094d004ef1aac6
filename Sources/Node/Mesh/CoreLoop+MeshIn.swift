internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import Loops
internal import Messaging
internal import Telemetry
internal import Wire

/// What arrives from other nodes: read, compared with the certificate of the connection, and given to the core.
extension CoreLoop {
    /// Most control messages at one go; there are never so many unless a peer runs wild.
    static let controlBudget = 4096
    /// Data frames between two looks at the control plane; a frame has about 128 KiB.
    static let dataFrames = 2
    /// Most bytes of data frames in one turn.
    static let dataBytesPerTurn = 2 << 20
    /// Requests of other nodes after which no more frames are taken in one turn, so that commits and answers are never
    /// far away.
    static let forwardsPerTurn = 1024

    /// Takes everything that waits on the control plane; whether there was anything.
    func takeControl(now: Moment) -> Bool {
        guard let mesh else { return false }
        let taken = mesh.receiveControl(budget: Self.controlBudget) { message in
            switch MeshFrame.decodeControl(message.bytes) {
            case .failure(let fault): complain(fault, about: message.name, now: now)
            case .success(let (header, control)):
                guard isSender(message.name, header, control) else {
                    return noteImpostor(message.name, header, now: now)
                }
                core.handle(.control(control, header), now: now, into: &effects)
                if case .membership(.ack(let sequence, _)) = control {
                    pingTimes.answered(sequence, by: header.sender, now: Clock.monotonicNanoseconds() / 1000)
                }
            }
        }
        return taken > 0
    }

    /// Looks at the control plane between large pieces of work, and sends what it wants at once: a ping never waits
    /// behind bulk.
    func lookAtControl() {
        let now = moment()
        if takeControl(now: now) { carryOut(now: now) }
    }

    /// Takes data frames up to the turn's budget.
    func takeData(now: Moment) {
        guard let mesh else { return }
        var bytes = 0
        let enough = counters.forwardsTaken &+ UInt64(Self.forwardsPerTurn)
        while bytes < Self.dataBytesPerTurn, counters.forwardsTaken < enough {
            let taken = mesh.receiveData(budget: Self.dataFrames) { message in
                bytes += message.bytes.count
                takeData(message, now: now)
            }
            guard taken == Self.dataFrames else { return }
            lookAtControl()
        }
    }

    private func takeData(_ message: MeshPort.Message, now: Moment) {
        switch MeshFrame.decodeData(message.bytes) {
        case .failure(let fault): complain(fault, about: message.name, now: now)
        case .success(let (header, messages)):
            guard isSender(message.name, header, nil) else { return noteImpostor(message.name, header, now: now) }
            let isForUs = isForThisRun(header)
            for message in messages {
                switch message {
                case .replication(let replication):
                    core.handle(.replication(replication, header), now: now, into: &effects)
                case .forward(let forward) where isForUs: take(forward, header, now: now)
                case .forwarded(let answer) where isForUs: take(answer, header)
                case .forward, .forwarded: counters.forwardsMisaddressed += 1
                }
            }
        }
    }

    /// Requests and answers for an earlier run of this node, or from one of the sender, mean nothing any more.
    private func isForThisRun(_ header: MeshHeader) -> Bool {
        guard let record = core.record, let charter = core.charter else { return false }
        guard header.cluster == charter.cluster, header.target == record.id,
            header.targetGeneration == record.generation
        else { return false }
        return header.generation >= core.member(header.sender)?.member.incarnation.generation ?? 0
    }

    // MARK: Who speaks

    /// Whether the certificate of the connection is the one of the node that the message says it is from. One node's
    /// key that fell into wrong hands so cannot speak for another node.
    private func isSender(_ name: String, _ header: MeshHeader, _ message: ControlMessage?) -> Bool {
        if settings.cluster.insecure { return true }
        if let known = core.knownName(of: header.sender) { return known == name }
        switch message {
        case .membership(let message): return message.introduction(of: header.sender).map { $0.name == name } ?? true
        case .coordination(.leaseRequest(_, let member, _)): return member.id == header.sender && member.name == name
        // Whoever made the cluster may be met only by its answer.
        case .coordination(.charter(let charter)):
            return charter.voters.first { $0.id == header.sender }.map { $0.name == name } ?? true
        case .coordination, .consensus, nil: return false
        }
    }

    private func noteImpostor(_ name: String, _ header: MeshHeader, now: Moment) {
        counters.impostors += 1
        guard peers.mayComplain(about: name, now: now.bootMilliseconds) else { return }
        log.warning(
            "message of another node's certificate dropped",
            ["member": .string(name), "claimed": .string(core.knownName(of: header.sender) ?? "\(header.sender)")])
    }

    private func complain(_ fault: WireFault, about name: String, now: Moment) {
        counters.meshUndecodable += 1
        guard peers.mayComplain(about: name, now: now.bootMilliseconds) else { return }
        log.warning(
            "message not readable",
            ["member": .string(name), "code": .string(fault.code.id), "text": .string(fault.detail)])
    }
}

extension MembershipMessage {
    /// How the sender describes itself in the message, if it does.
    fileprivate func introduction(of sender: NodeID) -> Member? {
        func own(_ gossip: Gossip) -> Member? {
            for case .alive(let member) in gossip.updates where member.id == sender { return member }
            return nil
        }
        switch self {
        case .ping(_, let gossip), .ack(_, let gossip), .pingRequest(_, _, let gossip), .gossip(let gossip):
            return own(gossip)
        case .exchange(let rows, _, let gossip):
            return rows.first { $0.member.id == sender }?.member ?? own(gossip)
        case .join(_, let member), .wrongGeneration(let member): return member.id == sender ? member : nil
        case .nack, .refused, .leave: return nil
        }
    }
}
