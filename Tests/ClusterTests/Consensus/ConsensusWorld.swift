import Wire

@testable import Cluster

/// Some nodes with their disks on a network, in virtual milliseconds: everything that can be late, lost, doubled or
/// out of order is, by a seed, until the world heals; then all must agree. Which faults there are is drawn too.
struct ConsensusWorld {
    enum Happening {
        case deliver(ConsensusMessage, from: Int, to: Int)
        case wake(Int)
        case written(Int)
        case propose
        case strike
        case aim(Int, Strike)
        case crash(Int)
        case restart(Int)
        case healLinks
        case diskSlow(Int, Bool)
    }

    /// What is done to a leader that was chosen for it.
    enum Strike: CaseIterable { case crash, isolate, halfIsolate, freeze, leaveOne }

    struct Link: Hashable {
        var from: Int
        var to: Int
    }

    struct Place: Hashable {
        var term: UInt64
        var index: UInt64
    }

    let seed: UInt64
    let faults: ConsensusFaults
    let settings: ConsensusSettings
    var dice: Dice
    var agenda = Agenda<(run: Int?, node: Int, Happening)>()
    var time: Int64 = 0
    var isHealed = false
    var nodes: [ConsensusNode] = []
    var cuts: Set<Link> = []
    var lastCommand: UInt64 = 0

    // What the checks remember.
    var problems: [String] = []
    var leaders: [UInt64: Int] = [:]
    var votes: [Link: [UInt64: NodeID]] = [:]
    var termsSent: [Int: UInt64] = [:]
    var entries: [Place: (entry: LogEntry, previousTerm: UInt64)] = [:]
    var history: [UInt64: LogEntry] = [:]
    var states: [UInt64: UInt64] = [:]
    var acknowledged: [UInt64: [UInt8]] = [:]
    var figures = ConsensusFigures()

    init(seed: UInt64, mutant: Mutant? = nil, faults: ConsensusFaults? = nil) {
        self.seed = seed
        var dice = Dice(seed: seed)
        self.faults = faults ?? ConsensusFaults(&dice)
        settings = Self.settings(&dice, mutant)
        self.dice = dice
        makeNodes()
        plan(.propose, after: 50)
        plan(.strike, after: 200)
    }

    /// Small limits, so that all of them are reached.
    private static func settings(_ dice: inout Dice, _ mutant: Mutant?) -> ConsensusSettings {
        var settings = ConsensusSettings()
        let shortest: Int64 = [60, 100, 300, 600][Int(dice.below(4))]
        settings.electionMilliseconds = shortest...(2 * shortest)
        settings.heartbeatMilliseconds = shortest / 4
        settings.entriesPerMessage = Int(dice.between(1, 8))
        settings.entryBytesMax = 64
        settings.inflightMessagesMax = Int(dice.between(1, 6))
        settings.snapshotPieceBytes = Int(dice.between(8, 64))
        settings.logEntriesMax = 64
        settings.keptEntriesMax = Int(dice.below(8))
        settings.inStepEntries = 8
        settings.mutant = mutant
        return settings
    }

    /// One, three, four or five voters, and up to two that only learn or are to come.
    private mutating func makeNodes() {
        let voterCount = [3, 3, 5, 4, 1, 2, 3, 5][Int(dice.below(8))]
        let count = voterCount + Int(dice.between(0, 2))
        let names = (0..<count).map { NodeID(high: 1, low: UInt64($0 + 1)) }
        let charter = VoterSet(voters: Array(names.prefix(voterCount)), learners: Array(names.dropFirst(voterCount)))
        for name in names {
            nodes.append(
                ConsensusNode(
                    name: name, charter: charter, offset: dice.between(0, 100_000), rate: dice.between(-10, 10),
                    compactAt: Int(dice.between(5, 60))))
        }
        for node in nodes.indices { start(node) }
    }

    // MARK: Running

    /// Lives `active` milliseconds with faults, then heals and lives until everything has come to rest.
    mutating func live(active: Int64) -> [String] {
        advance(to: active)
        heal()
        let election = settings.electionMilliseconds.upperBound
        // What was late before may still come.
        let calm = active + 2 * faults.lateMilliseconds
        advance(to: calm + max(1_000, 5 * election))
        if problems.isEmpty, leaderIndex == nil { note("nobody leads after the world has healed") }
        advance(to: calm + max(2_500, 10 * election))
        checkAgreement()
        return problems
    }

    private mutating func advance(to limit: Int64) {
        while problems.isEmpty, let (at, (run, node, happening)) = agenda.next(before: limit) {
            time = at
            if let run, nodes[node].run != run { continue }
            if node >= 0, run != nil, nodes[node].frozenUntil > time {
                agenda.plan((run, node, happening), at: nodes[node].frozenUntil)
                continue
            }
            happen(happening)
        }
        time = limit
    }

    private mutating func happen(_ happening: Happening) {
        switch happening {
        case .deliver(let message, let from, let to):
            if nodes[to].isUp, nodes[to].frozenUntil > time {
                agenda.plan((nil, to, happening), at: nodes[to].frozenUntil)
            } else {
                deliver(message, from: from, to: to)
            }
        case .wake(let node):
            nodes[node].wakeAt = .max
            turn(node) { $0.tick(now: $1, into: &$2) }
        case .written(let node): written(node)
        case .propose: propose()
        case .strike: strike()
        case .aim(let node, let strike): aim(at: node, strike)
        case .crash(let node): crash(node)
        case .restart(let node): start(node)
        case .healLinks: cuts = []
        case .diskSlow(let node, let isSlow): nodes[node].diskIsSlow = isSlow && !isHealed
        }
    }

    mutating func plan(_ happening: Happening, after milliseconds: Int64) {
        agenda.plan((nil, -1, happening), at: time + max(0, milliseconds))
    }

    /// Happens only if the node has not crashed meanwhile.
    mutating func plan(_ happening: Happening, on node: Int, after milliseconds: Int64) {
        agenda.plan((nodes[node].run, node, happening), at: time + max(0, milliseconds))
    }

    // MARK: Nodes

    mutating func start(_ node: Int) {
        guard !nodes[node].isUp else { return }
        var stored = StoredLog()
        for (row, value) in nodes[node].disk where !stored.restore(kind: row.kind, key: row.key, value: value) {
            if !nodes[node].isSpoilt { note("row \(row.kind) of node \(node) is unreadable") }
        }
        let consensus = Consensus(
            settings: settings, me: nodes[node].name, voters: nodes[node].charter, stored: stored,
            random: dice.next(), now: nodes[node].local(time))
        if consensus.fault != nil, !nodes[node].isSpoilt { note("the log of node \(node) is damaged by itself") }
        nodes[node].begin(consensus)
        checkLog(node)
        turn(node) { consensus, _, effects in consensus.start(into: &effects) }
    }

    mutating func crash(_ node: Int) {
        guard nodes[node].isUp, !isHealed else { return }
        figures.crashes += 1
        // Batches that were under way are there or not, but in order and whole.
        var kept = nodes[node].batches.isEmpty ? 0 : dice.below(Int64(nodes[node].batches.count) + 1)
        while kept > 0 {
            nodes[node].writeFirst()
            kept -= 1
        }
        nodes[node].end()
        if faults.spoils, dice.chance(percent: 30) { spoil(node) }
        let isInstant = dice.chance(percent: faults.instantRestartPercent)
        plan(.restart(node), after: isInstant ? 0 : dice.between(10, 2_000))
    }

    /// Spoils a row of the log, but never of two nodes at once, and only where the others suffice.
    private mutating func spoil(_ node: Int) {
        let isAlone = nodes.indices.allSatisfy { $0 == node || !nodes[$0].isSpoilt || nodes[$0].isMended }
        let rows = nodes[node].disk.keys.filter { $0.kind != .consensus }.sorted {
            $0.key.lexicographicallyPrecedes($1.key)
        }
        guard isAlone, !rows.isEmpty, !faults.changes, nodes[node].charter.voters.count > 2 else { return }
        let row = rows[Int(dice.below(Int64(rows.count)))]
        nodes[node].isSpoilt = true
        figures.spoilt += 1
        guard var value = nodes[node].disk[row] else { return }
        value[Int(dice.below(Int64(value.count)))] ^= UInt8(1 << dice.below(8))
        nodes[node].disk[row] = value
    }

    /// Gives a node an input and does what it wants done.
    mutating func turn(_ node: Int, _ body: (inout Consensus, Int64, inout [ConsensusEffect]) -> Void) {
        guard var consensus = nodes[node].consensus else { return }
        nodes[node].consensus = nil
        var effects: [ConsensusEffect] = []
        body(&consensus, nodes[node].local(time), &effects)
        nodes[node].consensus = consensus
        carryOut(effects, node)
        compact(node)
        wake(node)
        checkLease(node)
    }

    private mutating func wake(_ node: Int) {
        guard let consensus = nodes[node].consensus else { return }
        let at = max(time + 1, nodes[node].global(consensus.nextDeadline))
        guard at < nodes[node].wakeAt else { return }
        nodes[node].wakeAt = at
        plan(.wake(node), on: node, after: at - time)
    }

    private mutating func carryOut(_ effects: [ConsensusEffect], _ node: Int) {
        for effect in effects {
            switch effect {
            case .save(let writes, let mark):
                checkWrites(writes, node)
                nodes[node].batches.append(.init(writes: writes, mark: mark))
                if nodes[node].batches.count == 1 { planWrite(node) }
            case .send(let message, let target, let isAfterSave):
                guard let to = nodes.firstIndex(where: { $0.name == target }) else { continue }
                if isAfterSave, let last = nodes[node].batches.indices.last {
                    nodes[node].batches[last].sends.append((message, to))
                } else {
                    send(message, from: node, to: to)
                }
            case .apply(let entry): apply(entry, node)
            case .install(let state, let index): install(state, index, node)
            case .roleChanged: roleChanged(node)
            }
        }
    }

    // MARK: Disks

    private mutating func planWrite(_ node: Int) {
        let milliseconds = nodes[node].diskIsSlow ? dice.between(50, 500) : dice.between(0, 4)
        plan(.written(node), on: node, after: milliseconds)
    }

    private mutating func written(_ node: Int) {
        guard let first = nodes[node].batches.first else { return }
        if faults.diskFails, !isHealed, dice.chance(percent: 10) {
            plan(.written(node), on: node, after: dice.between(5, 100))
            return
        }
        nodes[node].writeFirst()
        for (message, to) in first.sends { send(message, from: node, to: to) }
        if !nodes[node].batches.isEmpty { planWrite(node) }
        turn(node) { $0.saved(mark: first.mark, now: $1, into: &$2) }
    }

    private mutating func compact(_ node: Int) {
        guard let consensus = nodes[node].consensus, consensus.logEntries >= nodes[node].compactAt,
            consensus.applied > 0, nodes[node].appliedIndex == consensus.applied, dice.chance(percent: 30)
        else { return }
        let state = nodes[node].state
        turn(node) { consensus, _, effects in consensus.compact(upTo: consensus.applied, state: state, into: &effects) }
    }

    // MARK: Network

    mutating func send(_ message: ConsensusMessage, from: Int, to: Int) {
        checkSent(message, from: from, to: to)
        figures.messages += 1
        if !isHealed, cuts.contains(Link(from: from, to: to)) { return }
        if !isHealed, dice.chance(percent: faults.lossPercent) { return }
        let copies = !isHealed && dice.chance(percent: faults.doublePercent) ? 2 : 1
        for _ in 0..<copies {
            var delay = dice.between(0, 4)
            if !isHealed, dice.chance(percent: faults.latePercent) {
                delay = dice.between(5, 2 * faults.lateMilliseconds)
            }
            agenda.plan((nil, -1, .deliver(message, from: from, to: to)), at: time + delay)
        }
    }

    private mutating func deliver(_ message: ConsensusMessage, from: Int, to: Int) {
        let sender = nodes[from].name
        turn(to) { $0.handle(message, from: sender, now: $1, into: &$2) }
    }

    mutating func note(_ problem: String) { problems.append("at \(time) ms: \(problem)") }
}
