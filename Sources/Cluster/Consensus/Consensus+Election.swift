import Wire

/// Elections.
extension Consensus {
    struct VoteRequest {
        var term: UInt64
        var lastIndex: UInt64
        var lastTerm: UInt64
        var isTrial: Bool
        var isTransfer: Bool
    }

    struct Vote {
        var term: UInt64
        var isGranted: Bool
        var isTrial: Bool
    }

    // MARK: Standing

    /// Whether this node may ask for votes. One that an uncommitted set leaves out goes on, without a vote of its own:
    /// it may be the only one that has that set, and then nobody else can win (Ongaro, 4.2.2).
    var mayStand: Bool {
        guard !isDamaged, ballot.term < Self.termMax else { return false }
        let certain = configurations.lastIndex { $0.index <= committed } ?? 0
        return configurations[certain...].contains { $0.set.voters.contains(me) }
    }

    /// Asks for votes, or first on trial whether it would get them, which disturbs nobody.
    mutating func campaign(isTrial: Bool, isTransfer: Bool, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        electionDeadline = now + drawElection()
        guard mayStand else { return }
        role = .candidate
        leader = nil
        self.isTrial = isTrial
        votes = []
        if !isTrial {
            counters.elections += 1
            enter(term: ballot.term + 1)
            ballot.vote = me
            saveBallot()
            voteMark = ballotMark
        }
        flush(&effects)
        let request = ConsensusMessage.voteRequest(
            term: isTrial ? ballot.term + 1 : ballot.term, lastIndex: log.lastIndex, lastTerm: log.lastTerm,
            isTrial: isTrial, isTransfer: isTransfer)
        for voter in configuration.voters where voter != me {
            effects.append(.send(request, to: voter, isAfterSave: !isTrial))
        }
        if isTrial { count(voteOf: me, now, &effects) }
    }

    mutating func count(voteOf voter: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        votes.insert(voter)
        guard votes.count(where: configuration.voters.contains) >= majority else { return }
        if isTrial {
            campaign(isTrial: false, isTransfer: false, now, &effects)
        } else {
            lead(now, &effects)
        }
    }

    mutating func take(_ vote: Vote, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard configuration.voters.contains(from) else {
            counters.fromStrangers += 1
            return
        }
        if vote.isTrial, vote.isGranted {
            guard role == .candidate, isTrial, vote.term == ballot.term + 1 else { return outdated() }
            return count(voteOf: from, now, &effects)
        }
        if vote.term > ballot.term { return follow(term: vote.term, leader: nil, now) }
        guard vote.isGranted else { return }
        guard role == .candidate, !isTrial, vote.term == ballot.term else { return outdated() }
        count(voteOf: from, now, &effects)
    }

    /// The leader goes and wants this node to come.
    mutating func takeOver(term: UInt64, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard term == ballot.term, role == .follower, leader == from else { return outdated() }
        campaign(isTrial: false, isTransfer: true, now, &effects)
    }

    // MARK: Voting

    /// Nobody gets a vote while a leader may still count on this node's silence towards others.
    private func isBound(_ now: Int64) -> Bool {
        role == .leader || now - leaderHeardAt < settings.electionMilliseconds.lowerBound
    }

    /// A log is fresh enough when it holds all that may be committed.
    private func isFresh(_ request: VoteRequest) -> Bool {
        if settings.mutant == .ignoreLogFreshness { return true }
        return (request.lastTerm, request.lastIndex) >= (log.lastTerm, log.lastIndex)
    }

    private func isFree(for candidate: NodeID) -> Bool {
        if settings.mutant == .doubleVote { return true }
        return ballot.vote == candidate || (ballot.vote == nil && leader == nil)
    }

    mutating func answer(
        _ request: VoteRequest, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]
    ) {
        guard request.lastIndex <= Self.indexMax, request.lastTerm <= request.term else {
            counters.illegal += 1
            return
        }
        if request.term >= ballot.term, isBound(now), !request.isTransfer {
            counters.votesIgnored += 1
            guard request.isTrial else { return }
            return sendInTerm(.vote(term: ballot.term, isGranted: false, isTrial: true), to: from, &effects)
        }
        if request.isTrial { return answerTrial(request, from, &effects) }
        if request.term > ballot.term { follow(term: request.term, leader: nil, now) }
        let isGranted = request.term == ballot.term && !isDamaged && isFree(for: from) && isFresh(request)
        if isGranted, ballot.vote != from {
            ballot.vote = from
            saveBallot()
            counters.votesGiven += 1
        }
        if isGranted {
            electionDeadline = now + drawElection()
            if role == .candidate, isTrial { role = .follower }
        }
        flush(&effects)
        sendSaved(.vote(term: ballot.term, isGranted: isGranted, isTrial: false), to: from, &effects)
    }

    /// A promise of nothing: no term is entered and no vote given.
    private mutating func answerTrial(
        _ request: VoteRequest, _ from: NodeID, _ effects: inout [ConsensusEffect]
    ) {
        let isFree = request.term > ballot.term || (request.term == ballot.term && isFree(for: from))
        let isGranted = isFree && !isDamaged && isFresh(request)
        let term = isGranted ? request.term : ballot.term
        sendInTerm(.vote(term: term, isGranted: isGranted, isTrial: true), to: from, &effects)
    }

    // MARK: Following

    /// Follows whoever leads `term`; nil: nobody known.
    mutating func follow(term: UInt64, leader: NodeID?, _ now: Int64) {
        if term > ballot.term { enter(term: term) }
        if role != .follower || leader != nil { electionDeadline = now + drawElection() }
        role = .follower
        self.leader = leader
        if leader != nil { leaderHeardAt = now }
        peers = [:]
        votes = []
        handOver = nil
        if let incoming, incoming.term != ballot.term { self.incoming = nil }
    }

    mutating func outdated() { counters.outdated += 1 }
}
