import Cluster
import Wire

/// Some nodes that hold a few shards, a coordinator that decides at once and tells the nodes late, a network that loses
/// and delays, slow disks, crashes. Everything follows from the seed.
struct ShardWorld {
    enum Event {
        case deliver(ReplicationMessage, from: Int, generation: UInt64, to: Int)
        case stored(node: Int, run: UInt64)
        case write(node: Int)
        case tick(node: Int)
        case tell(node: Int, shard: UInt16, ShardEntry)
        case report(node: Int, Progress)
        case trouble
        case restart(node: Int, losesDisk: Bool)
        case heal
    }

    static let kind = StoredKind.record.rawValue
    let seed: UInt64
    let shardCount: UInt16 = 3
    let keyCount: Int64 = 5
    var dice: Dice
    var settings = ShardSettings()
    var now: Int64 = 1000
    var agenda = Agenda<Event>()
    var nodes: [ShardWorldNode] = []
    var coordinator = ShardWorldCoordinator()
    var checks: ShardWorldChecks
    /// When the last message between two nodes arrives, so that they stay in order.
    var arrivals: [[Int64]]
    var cuts: Set<Int> = []
    var lossPercent: Int64 = 0
    var diskMilliseconds: Int64 = 5
    var isCalm = false
    /// Whether nodes crash when they have just promised something.
    var aimsAtPromises = false
    var serial: UInt64 = 0
    var steps = 0
    var commits = 0
    var activations = 0
    var crashes = 0
    var trace: [String] = []
    var tracing = false

    init(seed: UInt64, mutant: Mutant? = nil) {
        self.seed = seed
        dice = Dice(seed: seed)
        settings.mutant = mutant
        settings.pieceBytes = dice.chance(percent: 50) ? 300 : 65_536
        settings.tombstoneMilliseconds = dice.chance(percent: 50) ? 15_000 : 600_000
        settings.digestMilliseconds = 10_000
        settings.copiesBytesMax = dice.chance(percent: 30) ? 2_000 : 1_000_000
        if dice.chance(percent: 30) { settings.messageBytes = 200 }
        aimsAtPromises = dice.chance(percent: 30)
        let count = Int(dice.between(1, 5))
        lossPercent = dice.chance(percent: 60) ? dice.between(0, 4) : 0
        diskMilliseconds = dice.chance(percent: 30) ? 400 : 8
        for index in 0..<count {
            nodes.append(
                ShardWorldNode(id: NodeID(high: 7, low: UInt64(index) + 1), settings: settings))
        }
        arrivals = Array(repeating: Array(repeating: 0, count: count), count: count)
        checks = ShardWorldChecks(shardCount: shardCount)
    }

    // MARK: Run

    /// Trouble until `chaos`, then everything heals and must come in step. What is broken, nil when nothing is.
    mutating func live(chaos: Int64) -> String? {
        begin(chaos: chaos)
        while let (time, event) = agenda.next(before: chaos + 60_000), checks.problem == nil {
            now = time
            steps += 1
            if steps > 400_000 { return "does not come to rest" }
            handle(event)
        }
        if checks.problem == nil { checkEnd() }
        return checks.problem.map { "\($0) at \(now) ms" }
    }

    private mutating func begin(chaos: Int64) {
        let replicas = min(3, nodes.count)
        for shard in 0..<shardCount {
            let order = nodes.indices.map { (Int(shard) + $0) % nodes.count }.map { nodes[$0].id }
            coordinator.entries.append(ShardEntry(epoch: 1, replicas: Array(order.prefix(replicas))))
            announce(shard)
        }
        for node in nodes.indices {
            agenda.plan(.tick(node: node), at: now + Int64(node))
            agenda.plan(.write(node: node), at: now + 20 + Int64(node))
        }
        agenda.plan(.trouble, at: now + dice.between(50, 3000))
        agenda.plan(.heal, at: chaos)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .deliver(let message, let from, let generation, let to):
            deliver(message, from: from, generation: generation, to: to)
        case .stored(let node, let run):
            stored(node, run: run)
        case .write(let node):
            write(node)
        case .tick(let node):
            tick(node)
        case .tell(let node, let shard, let entry):
            tell(node, shard, entry)
        case .report(let node, let progress):
            reported(progress, by: nodes[node].id)
        case .trouble:
            trouble()
        case .restart(let node, let losesDisk):
            restart(node, losesDisk: losesDisk)
        case .heal:
            heal()
        }
    }

    // MARK: Nodes

    /// One turn of a node.
    mutating func turn(_ node: Int, _ body: (inout ShardSet, UInt64, Int64, inout [ShardEffect]) -> Void) {
        var effects: [ShardEffect] = []
        body(&nodes[node].set, nodes[node].openBatch, now, &effects)
        // Some turns hold more than one input.
        if !dice.chance(percent: 30) {
            nodes[node].set.endTurn(batch: nodes[node].openBatch, now: now, into: &effects)
        }
        for effect in effects { carryOut(effect, node) }
        closeBatch(node)
    }

    private mutating func carryOut(_ effect: ShardEffect, _ node: Int) {
        if tracing { trace.append("\(now) n\(node) \(effect)") }
        switch effect {
        case .store(let writes): nodes[node].openWrites += writes
        case .send(let message, let to): send(message, from: node, to: to)
        case .sendAfterStored(let message, let to): nodes[node].openHeld.append((message, to))
        case .committed(let shard, let batch): committed(node, shard, upTo: batch)
        case .activated(let shard, let epoch):
            activations += 1
            checks.activated(shard, epoch: epoch, by: nodes[node], entry: coordinator.entries[Int(shard)])
        case .deactivated(let shard): nodes[node].waiting[shard] = nil
        case .progress(let progress): agenda.plan(.report(node: node, progress), at: now + dice.between(1, 300))
        case .waiting: break
        case .notice(.digestsDiffer(let shard, let member)):
            checks.broken("I18: member \(member.low) differs from owner \(nodes[node].id.low) in shard \(shard)")
        case .registryChanged, .notice: break
        }
    }

    private mutating func closeBatch(_ node: Int) {
        guard !nodes[node].openWrites.isEmpty || !nodes[node].openHeld.isEmpty else { return }
        nodes[node].underWay.append(
            ShardWorldNode.Batch(
                number: nodes[node].openBatch, writes: nodes[node].openWrites, held: nodes[node].openHeld))
        nodes[node].openBatch += 1
        nodes[node].openWrites = []
        nodes[node].openHeld = []
        nodes[node].diskFreeAt = max(nodes[node].diskFreeAt, now) + dice.between(1, diskMilliseconds)
        agenda.plan(.stored(node: node, run: nodes[node].generation), at: nodes[node].diskFreeAt)
    }

    private mutating func stored(_ node: Int, run: UInt64) {
        guard nodes[node].isUp, nodes[node].generation == run, !nodes[node].underWay.isEmpty else { return }
        let batch = nodes[node].underWay.removeFirst()
        nodes[node].makeDurable(batch)
        for (message, to) in batch.held { send(message, from: node, to: to) }
        if aimsAtPromises, batch.held.contains(where: Self.isPromise), dice.chance(percent: 15) {
            return crash(node, down: dice.between(1, 10))
        }
        turn(node) { set, _, now, effects in set.stored(upTo: batch.number, now: now, into: &effects) }
    }

    private mutating func tick(_ node: Int) {
        agenda.plan(.tick(node: node), at: now + dice.between(20, 120))
        restoreTrust()
        guard nodes[node].isUp else { return }
        turn(node) { set, batch, now, effects in
            set.tick(batch: batch, now: now, into: &effects)
            set.endTurn(batch: batch, now: now, into: &effects)
        }
    }

    private mutating func write(_ node: Int) {
        agenda.plan(.write(node: node), at: now + (isCalm ? 1500 : dice.between(5, 120)))
        guard nodes[node].isUp, now < checks.quietFrom else { return }
        var writes: [ShardWrite] = []
        for shard in 0..<shardCount where nodes[node].set.isActive(shard) && dice.chance(percent: 60) {
            for _ in 0...dice.below(2) {
                serial += 1
                let key = [UInt8(dice.below(keyCount))]
                let value = dice.chance(percent: 30) ? nil : Array("\(serial)".utf8) + [UInt8](repeating: 0, count: 90)
                writes.removeAll { $0.shard == shard && $0.key == key }
                writes.append(ShardWrite(shard: shard, kind: Self.kind, key: key, value: value))
            }
        }
        guard !writes.isEmpty else { return }
        let batch = nodes[node].openBatch
        let before = (0..<shardCount).map { nodes[node].set.watermark($0) }
        turn(node) { set, batch, now, effects in set.write(writes, batch: batch, now: now, into: &effects) }
        for write in writes {
            let last = before[Int(write.shard)]
            let version = ShardVersion(epoch: last.epoch, count: last.count + 1)
            let change = ShardWorldChange(version: version, key: write.key, value: write.value)
            nodes[node].waiting[write.shard, default: []].append((batch, change))
        }
        checks.made(writes, versions: before)
    }

    private mutating func committed(_ node: Int, _ shard: UInt16, upTo batch: UInt64) {
        let done = nodes[node].waiting[shard, default: []].filter { $0.batch <= batch }
        nodes[node].waiting[shard]?.removeAll { $0.batch <= batch }
        commits += done.count
        // A lone owner's disk has it, as the effect comes with the disk's answer.
        checks.committed(
            done.map(\.change), shard, nodes: nodes, entries: coordinator.history[shard, default: []])
    }

    private mutating func tell(_ node: Int, _ shard: UInt16, _ entry: ShardEntry) {
        guard nodes[node].isUp, entry.epoch >= (nodes[node].entries[shard]?.epoch ?? 0) else { return }
        if entry.epoch == nodes[node].entries[shard]?.epoch,
            entry.former.count > (nodes[node].entries[shard]?.former.count ?? 0)
        {
            return
        }
        nodes[node].entries[shard] = entry
        turn(node) { set, batch, now, effects in
            set.place(shard, entry, batch: batch, now: now, into: &effects)
        }
    }

    private static func isPromise(_ held: (message: ReplicationMessage, to: NodeID)) -> Bool {
        if case .promised = held.message { true } else { false }
    }

    // MARK: Network

    private mutating func send(_ message: ReplicationMessage, from: Int, to: NodeID) {
        guard let target = nodes.firstIndex(where: { $0.id == to }) else { return }
        checks.sent(message)
        guard !cuts.contains(from * 8 + target), !dice.chance(percent: lossPercent) else { return }
        let time = max(arrivals[from][target], now + dice.between(1, dice.chance(percent: 3) ? 300 : 6))
        arrivals[from][target] = time
        agenda.plan(.deliver(message, from: from, generation: nodes[from].generation, to: target), at: time)
    }

    private mutating func deliver(_ message: ReplicationMessage, from: Int, generation: UInt64, to: Int) {
        guard nodes[to].isUp else { return }
        let sender = nodes[from].id
        turn(to) { set, batch, now, effects in
            set.handle(message, from: sender, generation: generation, batch: batch, now: now, into: &effects)
        }
    }
}
