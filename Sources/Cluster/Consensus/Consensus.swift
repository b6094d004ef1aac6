public import Codes
public import Wire

/// Agreement of the voters on one log: Raft with trial votes, a leader who resigns without a majority, single steps of
/// membership, learners and snapshots (Ongaro, "Consensus: Bridging Theory and Practice", 2014; Docs/Cluster.md).
///
/// A value: messages, time and what became durable go in, effects come out. What may not be said before it is durable
/// is a `send` with `isAfterSave`. The leader counts its own copy and a candidate its own vote only when they are
/// durable.
public struct Consensus: Sendable {
    /// Highest term that is taken from anybody, so that terms cannot run out.
    public static let termMax: UInt64 = 1 << 62
    /// Highest index.
    static let indexMax: UInt64 = 1 << 62

    let settings: ConsensusSettings
    /// This node.
    public let me: NodeID

    var ballot: Ballot
    var log: ConsensusLog
    var snapshot: ConsensusSnapshot?
    /// The sets of voters by the index from which they hold: the one at the snapshot and those of later entries.
    var configurations: [(index: UInt64, set: VoterSet)]

    /// What part this node plays.
    public internal(set) var role = ConsensusRole.follower
    /// Who leads this term, as far as this node knows.
    public internal(set) var leader: NodeID?
    /// Index up to which this node knows the log to be committed.
    public internal(set) var committed: UInt64
    /// What was counted.
    public internal(set) var counters = ConsensusCounters()
    /// What was wrong with the stored log; a node with a damaged log gives no vote until it is whole again.
    public let fault: Fault?

    // Saving.
    var writes: [StoreWrite] = []
    var lastMark: UInt64 = 0
    var savedMark: UInt64 = 0
    /// The save with the newest ballot.
    var ballotMark: UInt64 = 0
    /// Index up to which the log as it is now is durable.
    var durable: UInt64
    /// What becomes durable with which save.
    var saving: [(mark: UInt64, index: UInt64)] = []

    // Elections.
    private var random: UInt64
    var electionDeadline: Int64
    /// When a leader was heard last; until the shortest election time-out is over nobody else gets a vote. A start
    /// counts, because the node may have heard one just before it.
    var leaderHeardAt: Int64
    var isTrial = false
    var votes: Set<NodeID> = []
    var voteMark: UInt64 = 0

    // Leading.
    var peers: [NodeID: ConsensusPeer] = [:]
    /// Whom this leader sends to, in order: the keys of `peers`.
    var others: [NodeID] = []
    var leaderSince: Int64 = 0
    /// Index of the first entry of the own term.
    var termStart: UInt64 = 0
    var heartbeatAt: Int64 = 0
    var handOver: HandOver?

    // Following.
    var incoming: IncomingSnapshot?

    /// A leader that wants to go.
    struct HandOver: Hashable, Sendable {
        var target: NodeID
        var deadline: Int64
        /// Once the target was asked, this leader cannot be sure of itself any more.
        var isAsked = false
    }

    /// Pieces of a snapshot that have arrived.
    struct IncomingSnapshot: Hashable, Sendable {
        var sender: NodeID
        var term: UInt64
        var index: UInt64
        var lastTerm: UInt64
        var bytes: [UInt8]
    }

    /// Begins where `stored` ends. `voters` are the charter's, for a log that says nothing of voters; `random` seeds
    /// the election time-outs. `start` is due before anything else.
    public init(
        settings: ConsensusSettings, me: NodeID, voters: VoterSet, stored: StoredLog, random: UInt64, now: Int64
    ) {
        let found = stored.found()
        self.settings = settings
        self.me = me
        self.random = random
        ballot = found.ballot
        log = found.log
        snapshot = found.snapshot
        fault = found.fault
        configurations = [(found.snapshot?.index ?? 0, found.snapshot?.voters ?? voters)]
        committed = found.snapshot?.index ?? 0
        durable = found.log.lastIndex
        electionDeadline = now
        leaderHeardAt = now
        if found.fault != nil { writes = found.dropped + [ConsensusRows.write(ballot)] } else { writes = found.dropped }
        if !writes.isEmpty { ballotMark = lastMark + 1 }
        findConfigurations(above: committed)
        if configuration.voters != [me] { electionDeadline = now + drawElection() }
    }

    /// Hands out the state that the log begins on, and saves what had to be mended. Once, before all else.
    public mutating func start(into effects: inout [ConsensusEffect]) {
        if let snapshot { effects.append(.install(state: snapshot.state, index: snapshot.index)) }
        flush(&effects)
    }

    // MARK: Inputs

    /// Takes a message of an admitted node. Whatever it says, nothing traps.
    public mutating func handle(
        _ message: ConsensusMessage, from: NodeID, now: Int64, into effects: inout [ConsensusEffect]
    ) {
        let before = standing
        if from == me || message.term > Self.termMax {
            counters.illegal += 1
        } else {
            dispatch(message, from, now, &effects)
        }
        finish(before, &effects)
    }

    /// Does what time asks for; due at `nextDeadline`.
    public mutating func tick(now: Int64, into effects: inout [ConsensusEffect]) {
        let before = standing
        if role == .leader {
            tickLeader(now, &effects)
        } else if now >= electionDeadline {
            leader = nil
            campaign(isTrial: true, isTransfer: false, now, &effects)
        }
        finish(before, &effects)
    }

    /// Everything saved up to `mark` is durable.
    public mutating func saved(mark: UInt64, now: Int64, into effects: inout [ConsensusEffect]) {
        precondition(mark <= lastMark, "save \(mark) was never asked for; the last one is \(lastMark)")
        let before = standing
        savedMark = max(savedMark, mark)
        while let first = saving.first, first.mark <= savedMark {
            durable = max(durable, first.index)
            saving.removeFirst()
        }
        if role == .leader { advanceCommit(now, &effects) }
        if role == .candidate, !isTrial, voteMark <= savedMark { count(voteOf: me, now, &effects) }
        finish(before, &effects)
    }

    private mutating func dispatch(
        _ message: ConsensusMessage, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]
    ) {
        switch message {
        case .voteRequest(let term, let lastIndex, let lastTerm, let isTrial, let isTransfer):
            let request = VoteRequest(
                term: term, lastIndex: lastIndex, lastTerm: lastTerm, isTrial: isTrial, isTransfer: isTransfer)
            answer(request, from, now, &effects)
        case .vote(let term, let isGranted, let isTrial):
            take(Vote(term: term, isGranted: isGranted, isTrial: isTrial), from, now, &effects)
        case .append(let term, let previousIndex, let previousTerm, let entries, let committed, let round):
            let append = Append(
                term: term, previousIndex: previousIndex, previousTerm: previousTerm, entries: entries,
                committed: committed, round: round)
            take(append, from, now, &effects)
        case .appended(let term, let matched, let isRejected, let hint, let round):
            let answer = Appended(term: term, matched: matched, isRejected: isRejected, hint: hint, round: round)
            take(answer, from, now, &effects)
        case .snapshot(let term, let index, let lastTerm, let voters, let offset, let bytes, let isLast):
            let piece = Piece(
                term: term, index: index, lastTerm: lastTerm, voters: voters, offset: Int(offset), bytes: bytes,
                isLast: isLast)
            take(piece, from, now, &effects)
        case .snapshotTaken(let term, let index, let offset):
            pieceTaken(term: term, index: index, offset: Int(offset), from, now, &effects)
        case .transfer(let term):
            takeOver(term: term, from, now, &effects)
        }
    }

    // MARK: Questions

    /// The current term.
    public var term: UInt64 { ballot.term }
    /// Index of the last entry that came out as `apply` or was part of `install`; always equal to `committed`.
    public var applied: UInt64 { committed }
    /// Index of the last entry, committed or not.
    public var lastIndex: UInt64 { log.lastIndex }
    /// Who votes and who learns; the newest set holds from the moment it is in the log.
    public var voters: VoterSet { configuration }
    /// Whether the newest set of voters is committed.
    public var votersAreCommitted: Bool { configurations[configurations.count - 1].index <= committed }
    /// Payload bytes of the entries that are not in the snapshot.
    public var logBytes: Int { log.bytes(above: snapshot?.index ?? 0) }
    /// Entries that are not in the snapshot.
    public var logEntries: Int { Int(log.lastIndex - (snapshot?.index ?? 0)) }
    /// Whether entries that this node had acknowledged may be missing: it neither votes nor stands.
    public var isDamaged: Bool { ballot.damagedTerm != 0 }

    /// When `tick` is due, in milliseconds since boot.
    public var nextDeadline: Int64 { role == .leader ? heartbeatAt : electionDeadline }

    /// Whether this node leads and nobody else can at this moment: a majority answered a heartbeat that is younger than
    /// the shortest election time-out, in which none of them votes for another.
    public func hasQuorum(now: Int64) -> Bool {
        guard role == .leader, handOver?.isAsked != true, let heardAt = majorityHeardAt(now) else { return false }
        return now - heardAt < settings.leaseMilliseconds
    }

    /// Whether this node leads and everything that was committed before its term has been applied here.
    public var isEstablished: Bool {
        role == .leader && (committed >= termStart || settings.mutant == .commitEarlierTermWithoutNoOp)
    }

    /// Whether `node` follows the log closely enough to become a voter; the leader knows.
    public func isInStep(_ node: NodeID) -> Bool {
        guard role == .leader, let peer = peers[node], peer.mode == .streaming else { return false }
        return peer.matched + settings.inStepEntries >= log.lastIndex
    }

    // MARK: Turns

    struct Standing: Equatable {
        var role: ConsensusRole
        var term: UInt64
        var leader: NodeID?
    }

    var standing: Standing { Standing(role: role, term: ballot.term, leader: leader) }

    mutating func finish(_ before: Standing, _ effects: inout [ConsensusEffect]) {
        flush(&effects)
        if standing != before { effects.append(.roleChanged) }
    }

    var configuration: VoterSet { configurations[configurations.count - 1].set }

    /// How many voters are enough.
    var majority: Int {
        let count = configuration.voters.count
        return settings.mutant == .majorityTooSmall ? max(1, count / 2) : count / 2 + 1
    }

    mutating func drawElection() -> Int64 {
        random &+= 0x9e37_79b9_7f4a_7c15
        var mixed = random
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        let range = settings.electionMilliseconds
        return range.lowerBound + Int64(mixed % UInt64(range.upperBound - range.lowerBound + 1))
    }
}

extension ConsensusMessage {
    /// Every message belongs to a term.
    var term: UInt64 {
        switch self {
        case .voteRequest(let term, _, _, _, _), .vote(let term, _, _), .append(let term, _, _, _, _, _),
            .appended(let term, _, _, _, _), .snapshot(let term, _, _, _, _, _, _), .snapshotTaken(let term, _, _),
            .transfer(let term):
            term
        }
    }
}
