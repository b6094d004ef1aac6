import Wire

@testable import Cluster

/// A node of the world with its disk and what it has applied.
struct ConsensusNode {
    struct Row: Hashable {
        var kind: StoredKind
        var key: [UInt8]
    }

    /// A transaction on its way, and what is sent when it is durable.
    struct Batch {
        var writes: [StoreWrite]
        var mark: UInt64
        var sends: [(ConsensusMessage, Int)] = []
    }

    let name: NodeID
    let charter: VoterSet
    /// Its clock against the world's.
    let offset: Int64
    /// How much faster it runs, in thousandths.
    let rate: Int64
    let compactAt: Int

    var consensus: Consensus?
    var run = 0
    var disk: [Row: [UInt8]] = [:]
    var batches: [Batch] = []
    var diskIsSlow = false
    var frozenUntil: Int64 = 0
    var wakeAt = Int64.max
    /// Its disk has lost something.
    var isSpoilt = false

    // The state that the log makes: a hash over all entries.
    var appliedIndex: UInt64 = 0
    var hash: UInt64 = 0
    var proposals: [UInt64: [UInt8]] = [:]

    init(name: NodeID, charter: VoterSet, offset: Int64, rate: Int64, compactAt: Int) {
        self.name = name
        self.charter = charter
        self.offset = offset
        self.rate = rate
        self.compactAt = compactAt
    }

    var isUp: Bool { consensus != nil }
    var isMended: Bool { consensus.map { !$0.isDamaged } ?? false }

    func local(_ time: Int64) -> Int64 { offset + time + time * rate / 1_000 }

    func global(_ local: Int64) -> Int64 {
        guard local < .max / 2_000 else { return .max / 2_000 }
        return (local - offset) * 1_000 / (1_000 + rate) + 1
    }

    mutating func begin(_ consensus: Consensus) {
        self.consensus = consensus
        appliedIndex = 0
        hash = 0
        wakeAt = .max
    }

    mutating func end() {
        consensus = nil
        run += 1
        batches = []
        proposals = [:]
        frozenUntil = 0
    }

    mutating func writeFirst() {
        for write in batches.removeFirst().writes {
            disk[Row(kind: write.kind, key: write.key)] = write.value
        }
    }

    /// The state with some ballast, so that a snapshot has pieces.
    var state: [UInt8] {
        let numbers = [appliedIndex, hash]
        return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } }
            + [UInt8](repeating: 7, count: Int(appliedIndex % 100))
    }

    mutating func install(_ state: [UInt8]) {
        let numbers = [0, 8].map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(state[start + $1]) << (8 * UInt64($1)) }
        }
        appliedIndex = numbers[0]
        hash = numbers[1]
    }

    mutating func apply(_ entry: LogEntry) {
        appliedIndex = entry.index
        hash = (hash ^ entry.term) &* 0x100_0000_01b3
        hash = (hash ^ UInt64(entry.kind.rawValue)) &* 0x100_0000_01b3
        for byte in entry.payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

/// Which faults a world has; each seed draws some.
struct ConsensusFaults {
    var lossPercent: Int64 = 0
    var doublePercent: Int64 = 0
    var latePercent: Int64 = 0
    var lateMilliseconds: Int64 = 50
    var crashes = false
    var instantRestartPercent: Int64 = 0
    var cuts = false
    var freezes = false
    var slowDisks = false
    var diskFails = false
    var changes = false
    var transfers = false
    var spoils = false
    /// Chance that a new leader is struck at once.
    var aimPercent: Int64 = 0

    /// A calm world.
    init() {}

    init(_ dice: inout Dice) {
        lossPercent = [0, 1, 5, 20][Int(dice.below(4))]
        doublePercent = [0, 0, 5, 20][Int(dice.below(4))]
        latePercent = [0, 2, 10, 40][Int(dice.below(4))]
        lateMilliseconds = [20, 100, 500, 1_500][Int(dice.below(4))]
        crashes = dice.chance(percent: 70)
        instantRestartPercent = [0, 50, 90][Int(dice.below(3))]
        cuts = dice.chance(percent: 60)
        freezes = dice.chance(percent: 40)
        slowDisks = dice.chance(percent: 40)
        diskFails = dice.chance(percent: 20)
        changes = dice.chance(percent: 50)
        transfers = dice.chance(percent: 30)
        spoils = dice.chance(percent: 20)
        aimPercent = [0, 20, 60][Int(dice.below(3))]
    }
}

/// What happened in a world.
struct ConsensusFigures {
    var messages = 0
    var crashes = 0
    var applied = 0
    var acknowledged = 0
    var elections = 0
    var installed = 0
    var changes = 0
    var spoilt = 0

    static func += (left: inout ConsensusFigures, right: ConsensusFigures) {
        left.messages += right.messages
        left.crashes += right.crashes
        left.applied += right.applied
        left.acknowledged += right.acknowledged
        left.elections += right.elections
        left.installed += right.installed
        left.changes += right.changes
        left.spoilt += right.spoilt
    }
}
