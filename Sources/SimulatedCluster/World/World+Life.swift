internal import Cluster
internal import Delivery
internal import Wire

/// Starts, crashes and the store of every node.
extension World {
    /// A node starts: its core reads the disk.
    mutating func start(_ node: Int) {
        guard !nodes[node].isUp else { return }
        nodes[node].isUp = true
        nodes[node].run += 1
        trace(node, "starts, run \(nodes[node].run)")
        hash.mix(nodes[node].run)
        let now = nodes[node].now(time)
        nodes[node].core = seat(node, of: nodes.count).makeCore(random: dice.next())
        nodes[node].loop = SendingLoop(
            seed: dice.next(), now: now, mutant: options.mutant)
        nodes[node].coreStillUntil = 0
        nodes[node].loopStillUntil = 0
        nodes[node].frozenUntil = 0
        nodes[node].leaseUntil = .min
        nodes[node].reach = .idle
        nodes[node].startedAt = time
        if !nodes[node].disk.rows.isEmpty { plan(.seen(node, run: nodes[node].run), after: Self.seenMilliseconds) }
        nodes[node].connections = [:]
        nodes[node].managing = apple.open(manage: true, now: SimulatedClock.start + time)
        nodes[node].managed = 1
        for place in nodes[node].disk.sortedPlaces {
            guard let value = nodes[node].disk.rows[place] else { continue }
            if let fault = nodes[node].core.restore(kind: place.kind, key: place.key, value: value) {
                return fail(.liveness, node, "its own row of kind \(place.kind) is refused: \(fault)")
            }
        }
        var out = effects
        effects = []
        let faults = nodes[node].core.finishRestore(
            randomBytes: dice.bytes(32) + shardSeed + dice.bytes(16), now: now, into: &out)
        if let fault = faults.first { fail(.liveness, node, "one of its own rows is refused: \(fault)") }
        if let problem = checks.started(nodes[node].core, on: node) { fail(problem.0, node, problem.1) }
        carryOut(&out, node, now)
        endTurn(node, now)
    }

    /// The process dies with everything that was not durable.
    mutating func crash(_ node: Int, downMilliseconds: Int64) {
        guard nodes[node].isUp else { return }
        trace(node, "crashes")
        report.crashes += 1
        nodes[node].isUp = false
        nodes[node].disk.crash()
        nodes[node].inbox = []
        nodes[node].mail = []
        nodes[node].turnAt = .max
        nodes[node].loopAt = .max
        network.resetAll(of: node, now: time, dice: &dice)
        plan(.start(node), after: downMilliseconds)
    }

    // MARK: Store

    mutating func planCommit(_ node: Int) {
        var wait = dice.between(1, 12)
        if nodes[node].diskSlowUntil > time { wait += dice.between(50, 900) }
        agenda.plan(.commit(node, run: nodes[node].run), at: max(time + wait, nodes[node].frozenUntil))
    }

    mutating func commit(_ node: Int) {
        guard nodes[node].frozenUntil <= time else {
            return agenda.plan(.commit(node, run: nodes[node].run), at: nodes[node].frozenUntil)
        }
        var outcomes: [SimulatedDisk.Outcome] = []
        let fails = nodes[node].diskFailsUntil > time
        if nodes[node].disk.commit(fails: fails, into: &outcomes) { planCommit(node) }
        if let problem = checks.log.stored(nodes[node].disk, nodes[node].disk.takeLogWrites()) {
            return fail(problem.0, node, problem.1)
        }
        for outcome in outcomes {
            trace(node, "\(outcome)")
            switch outcome {
            case .stored(let batch): post(.input(.stored(batch: batch)), to: node)
            case .failed(let batch): post(.input(.storeFailed(batch: batch)), to: node)
            }
        }
    }
}
