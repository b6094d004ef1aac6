/// Aimed faults.
extension World {
    /// Looks around every so often whether there is something worth hitting.
    mutating func lookAround() {
        guard !isHealed else { return }
        plan(.nemesis, after: dice.between(200, 1_500))
        guard dice.chance(perMille: 200) else { return }
        switch dice.below(5) {
        case 0: if let node = nemesis.leader { strike(node, within: 0) }
        case 1: if let node = nemesis.takenOverBy { strike(node, within: 0) }
        case 2: if let node = nemesis.acknowledgedBy { strike(node, within: 0) }
        case 3: strike(dice.below(nodes.count), within: 0)
        default:
            let node = nemesis.leader ?? dice.below(nodes.count)
            if faults.contains(.cuts) { befall(.cut(someCut(node), milliseconds: dice.between(1_000, 9_000))) }
        }
    }

    /// One of the faults that this seed may do, to one node, within some milliseconds.
    mutating func strike(_ node: Int, within milliseconds: Int64) {
        guard time >= nemesis.restsUntil else { return }
        nemesis.restsUntil = time + dice.between(300, 3_000)
        let kinds: [FaultKinds] = [.cuts, .crashes, .restarts, .pauses, .stalls, .slowDisks, .failingDisks]
            .filter { faults.contains($0) }
        guard !kinds.isEmpty else { return }
        plan(.fault(fate(kinds[dice.below(kinds.count)], node)), after: dice.between(0, milliseconds))
    }
}
