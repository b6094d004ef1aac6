/// Faults: which weather a seed has, what befalls the nodes, and how everything heals.
extension World {
    var isAimed: Bool { faults.contains(.aimed) && !isHealed }

    mutating func setWeather() {
        network.weather.delayMilliseconds = 0...dice.between(1, 4)
        if faults.contains(.weather) {
            network.weather.lostPerMille = dice.between(5, 60)
            network.weather.twicePerMille = dice.between(0, 30)
            network.weather.latePerMille = dice.between(5, 50)
            network.weather.lateMilliseconds = dice.between(50, 1_500)
        }
        if faults.contains(.resets) { network.weather.resetPerMille = dice.between(1, 10) }
        guard faults.contains(.apple) else { return }
        appleWeather.latePerMille = dice.between(10, 150)
        appleWeather.lateMilliseconds = dice.between(300, 3_000)
        appleWeather.lostAnswersPerMille = dice.between(5, 60)
        appleWeather.cutsPerMille = dice.between(0, 20)
        apple.setFaults(reorderMilliseconds: dice.between(0, 3_000), goAwayAfter: dice.below(2) * 40)
    }

    /// Faults at random times; the aimed ones come when there is something to aim at.
    mutating func planFaults() {
        let chaos = options.chaosMilliseconds
        for (kind, count) in [
            (FaultKinds.cuts, 6), (.slowPeers, 2), (.crashes, 4), (.restarts, 4), (.pauses, 4), (.stalls, 5),
            (.slowDisks, 3), (.failingDisks, 3), (.lostDisks, 2), (.outages, 2),
        ] where faults.contains(kind) {
            for _ in 0..<1 + dice.below(count) {
                agenda.plan(
                    .fault(fate(kind, dice.below(nodes.count))), at: dice.between(4_000, max(chaos - 2_000, 5_000)))
            }
        }
        if faults.contains(.aimed) { agenda.plan(.nemesis, at: 4_000) }
    }

    mutating func fate(_ kind: FaultKinds, _ node: Int) -> Fate {
        switch kind {
        case .cuts: .cut(someCut(node), milliseconds: dice.between(300, 15_000))
        case .slowPeers: .slow(node, extra: dice.between(50, 800), milliseconds: dice.between(1_000, 10_000))
        case .crashes: .crash(node, downMilliseconds: dice.between(500, 15_000))
        case .restarts: .crash(node, downMilliseconds: dice.between(0, 60))
        case .pauses: .pause(node, milliseconds: dice.between(300, 9_000))
        case .stalls:
            dice.chance(perMille: 500)
                ? .stallCore(node, milliseconds: dice.between(200, 6_000))
                : .stallLoop(node, milliseconds: dice.between(200, 8_000))
        case .slowDisks: .slowDisk(node, milliseconds: dice.between(500, 8_000))
        case .failingDisks: .failDisk(node, milliseconds: dice.between(100, 5_000))
        case .lostDisks: .loseDisk(node)
        default: appleFate(node)
        }
    }

    private mutating func appleFate(_ node: Int) -> Fate {
        switch dice.below(4) {
        case 0: .outage(nil, milliseconds: dice.between(1_000, 12_000))
        case 1: .outage(node, milliseconds: dice.between(2_000, 25_000))
        default: .refusals(Int(dice.between(1, 20)), overloaded: dice.chance(perMille: 500))
        }
    }

    /// Around one node: everything, one direction, or all but one peer.
    mutating func someCut(_ node: Int) -> [(Int, Int)] {
        let others = (0..<nodes.count).filter { $0 != node }
        switch dice.below(4) {
        case 0: return others.flatMap { [(node, $0), ($0, node)] }
        case 1: return others.map { (node, $0) }
        case 2: return others.map { ($0, node) }
        default:
            let friend = others.isEmpty ? node : others[dice.below(others.count)]
            return others.filter { $0 != friend }.flatMap { [(node, $0), ($0, node)] }
        }
    }

    // MARK: What befalls

    mutating func befall(_ fate: Fate) {
        switch fate {
        case .mend(let pairs): return mend(pairs)
        case .quicken(let node):
            for other in 0..<nodes.count { network.slow(node, other, by: 0) }
            return
        default: break
        }
        guard !isHealed else { return }
        trace(nil, "fault \(fate)")
        disturbedUntil = max(disturbedUntil, time + fate.deafMilliseconds)
        hash.mix(report.crashes + report.pauses)
        switch fate {
        case .crash(let node, let down): crash(node, downMilliseconds: down)
        case .loseDisk(let node): loseDisk(node)
        case .pause(let node, let length):
            still(node, core: true, loop: true, length)
            nodes[node].frozenUntil = max(nodes[node].frozenUntil, time + length)
        case .stallCore(let node, let length): still(node, core: true, loop: false, length)
        case .stallLoop(let node, let length): still(node, core: false, loop: true, length)
        case .cut(let pairs, let length):
            report.cuts += 1
            for (from, to) in pairs { network.cut(from, to, now: time) }
            plan(.fault(.mend(pairs)), after: length)
        case .slow(let node, let extra, let length):
            for other in 0..<nodes.count { network.slow(node, other, by: extra) }
            plan(.fault(.quicken(node)), after: length)
        case .reset(let from, let to): network.reset(from, to, now: time, dice: &dice)
        case .slowDisk(let node, let length): nodes[node].diskSlowUntil = time + length
        case .failDisk(let node, let length): nodes[node].diskFailsUntil = time + length
        case .outage(let node?, let length):
            appleWeather.outageOfNodeUntil[node] = time + length
            if dice.chance(perMille: 500) { cutAllApple(node) }
        case .outage(nil, let length):
            appleWeather.outageUntil = time + length
            if dice.chance(perMille: 500) { nodes.indices.forEach { cutAllApple($0) } }
        case .refusals(let count, let overloaded): apple.refuse(next: count, overloaded: overloaded)
        case .appleCut(let node): cutAllApple(node)
        case .mend, .quicken: break
        }
    }

    private mutating func still(_ node: Int, core: Bool, loop: Bool, _ milliseconds: Int64) {
        guard nodes[node].isUp else { return }
        report.pauses += 1
        if core { nodes[node].coreStillUntil = max(nodes[node].coreStillUntil, time + milliseconds) }
        if loop { nodes[node].loopStillUntil = max(nodes[node].loopStillUntil, time + milliseconds) }
    }

    private mutating func mend(_ pairs: [(Int, Int)]) {
        for (from, to) in pairs {
            if network.isCut(from, to) { disturbedUntil = max(disturbedUntil, time) }
            for (arrival, parcel) in network.mend(from, to, now: time, dice: &dice) {
                agenda.plan(.arrive(parcel), at: arrival)
            }
        }
    }

    private mutating func cutAllApple(_ node: Int) {
        for number in nodes[node].connections.values.sorted() { cutApple(node, number) }
    }

    /// Everything works again from now on; what was lost stays lost.
    mutating func heal() {
        trace(nil, "heals")
        isHealed = true
        disturbedUntil = min(disturbedUntil, time)
        plan(.calm, after: 5_000)
        network.weather = .calm
        appleWeather = AppleWeather()
        apple.setFaults(reorderMilliseconds: 0, goAwayAfter: 0)
        apple.refuse(next: 0, overloaded: false)
        mend((0..<nodes.count).flatMap { from in (0..<nodes.count).map { (from, $0) } })
        for node in nodes.indices {
            for other in nodes.indices { network.slow(node, other, by: 0) }
            nodes[node].diskSlowUntil = 0
            nodes[node].diskFailsUntil = 0
            nodes[node].frozenUntil = min(nodes[node].frozenUntil, time)
            nodes[node].coreStillUntil = min(nodes[node].coreStillUntil, time)
            nodes[node].loopStillUntil = min(nodes[node].loopStillUntil, time)
            // What was planned by the old clock is planned again below, when everybody wakes.
            nodes[node].clock.set(
                at: time, skewMilliseconds: dice.between(-50, 50), ratePPM: dice.between(-100, 100))
            start(node)
            nodes[node].turnAt = .max
            nodes[node].loopAt = .max
            wakeCore(node, at: time)
            wakeLoop(node, at: time)
            // It may have been planned for the end of a pause that is over now.
            if nodes[node].disk.isBusy { planCommit(node) }
        }
        for phone in phones.indices { setOnline(phone, true) }
    }
}
