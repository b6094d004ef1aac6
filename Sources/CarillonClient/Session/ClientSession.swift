import Codes
import Wire

/// The producer's side of the protocol as a state machine: sessions, credit, repetition, time-outs.
///
/// Pure: what happens comes in with the time, in milliseconds that never step; what is to be done goes out as effects.
/// The rules are those of Docs/Protocol/Producer.md 7.
struct ClientSession {
    /// How long to wait for what.
    struct Patience {
        var answerMilliseconds: Int64
        var resendMilliseconds: Int64
        var connectMilliseconds: Int64
        var silenceMilliseconds: Int64 = 3000
    }

    enum Phase: Equatable {
        /// No authenticated connection.
        case connecting(since: Int64)
        /// `hello` is sent.
        case greeting(sequence: Int64, since: Int64)
        /// `ready` has come.
        case open
        /// `bye` is sent.
        case leaving(since: Int64)
        /// Nothing is done any more.
        case closed
    }

    /// What was sent for a target and may still be unanswered.
    struct TargetTrack {
        /// The highest number sent.
        var newestSent: Int64
        /// The highest number acknowledged.
        var newestAcknowledged: Int64 = -1
        /// How many are unanswered.
        var unanswered: Int
    }

    /// A publish to be sent again.
    struct Retry {
        /// When.
        let at: Int64
        let sequence: Int64
        /// What the caller is told if it cannot be sent again after all.
        let refusal: Refusal
    }

    let patience: Patience
    let name: String
    /// How many nodes there are to choose from.
    let nodes: Int
    var phase: Phase
    var credit = ProducerCredit()
    var statistics = ProducerStatistics()

    /// Handed over, not yet sent.
    var waiting = SubmissionQueue()
    /// Sent and unanswered in this session, or to be sent again, by number.
    var pending: [Int64: Submission] = [:]
    /// Numbers to be sent again before anything new, in order, after the session was lost.
    var resends: [Int64] = []
    /// Refused for overload, or unanswered for long.
    var retries: [Retry] = []
    var targets: [Target: TargetTrack] = [:]
    var nextPublish: Int64 = 1

    var requests: [Int64: ClientRequest] = [:]
    var nextRequest = Self.firstRequest
    var isClosing = false
    var closeDeadline: Int64 = 0
    var failuresInARow = 0
    /// When to leave a node that goes away.
    var leaveAt: Int64?
    /// When the node said anything last, or had nothing to say.
    private var heardAt: Int64 = 0
    /// When a publish got its result last, or none was without.
    private var progressAt: Int64 = 0
    /// The number of the last `ping`, until anything is heard.
    private var pinged: Int64?

    /// Publishes are numbered from 1, other requests from here on, so that a `nack` tells which it is for.
    static let firstRequest: Int64 = 1 << 52
    /// Most other requests that may be unanswered; the node refuses more than 64.
    static let requestsMax = 32
    /// Handshakes that may fail in a row before callers are told: one may hit a node that is just being restarted.
    static let failuresMax = 3
    /// When to come again while a shard moves, if the node does not say.
    static let moveMilliseconds: Int64 = 100
    /// How long a node that goes away may take to answer what it has.
    static let leaveMilliseconds: Int64 = 2000

    init(name: String, nodes: Int = 1, patience: Patience, now: Int64) {
        self.name = name
        self.nodes = nodes
        self.patience = patience
        phase = .connecting(since: now)
    }

    /// Whether nothing is handed over that has no result yet.
    var isIdle: Bool { waiting.isEmpty && pending.isEmpty && requests.isEmpty }

    // MARK: Connections

    /// A connection is authenticated.
    mutating func connected(now: Int64, into effects: inout [ClientEffect]) {
        guard phase != .closed else { return }
        loseSession()
        greet(now, &effects)
    }

    /// The connection is gone. Nobody is told yet: the next one may come at once.
    mutating func disconnected(now: Int64) {
        guard phase != .closed else { return }
        if case .connecting = phase { return }
        loseSession()
        phase = .connecting(since: now)
    }

    /// A handshake failed; `refused` when the node said that the key is not allowed.
    mutating func handshakeFailed(refused: Bool, into effects: inout [ClientEffect]) {
        statistics.handshakesFailed += 1
        failuresInARow += 1
        let enough = refused ? nodes : max(nodes, Self.failuresMax)
        if failuresInARow >= enough {
            let why = refused ? "" : "the handshake failed: a wrong server key, or no Carillon node"
            failAll(Fault(.refusedConnection, why), &effects)
            failuresInARow = 0
        }
        if nodes > 1 { effects.append(.changeNode) }
    }

    private mutating func greet(_ now: Int64, _ effects: inout [ClientEffect]) {
        let sequence = takeRequestNumber()
        phase = .greeting(sequence: sequence, since: now)
        effects.append(.send(.hello(Hello(sequence: sequence, client: name))))
    }

    /// Everything unanswered is to be sent again, in its order, in the next session.
    private mutating func loseSession() {
        credit.end()
        leaveAt = nil
        retries.removeAll(keepingCapacity: true)
        resends = pending.keys.sorted()
        for sequence in resends { pending[sequence]?.isOut = false }
        for key in requests.keys { requests[key]?.isSent = false }
    }

    mutating func takeRequestNumber() -> Int64 {
        defer { nextRequest += 1 }
        return nextRequest
    }

    // MARK: Messages

    /// A message of the node.
    mutating func receive(_ message: NodeMessage, now: Int64, into effects: inout [ClientEffect]) {
        let asked = pinged
        (heardAt, pinged) = (now, nil)
        switch message {
        case .ack(let ack):
            progressAt = now
            acknowledge(ack, &effects)
        case .nack(let nack): refuse(nack, now, &effects)
        case .receipt(let report):
            statistics.receipts += 1
            effects.append(.receipt(report))
        case .credit(let credit): if phase == .open, leaveAt == nil { self.credit.change(to: credit) }
        case .ready(let ready):
            progressAt = now
            open(ready, &effects)
        case .goAway:
            if phase == .open, nodes > 1, leaveAt == nil {
                credit.change(to: 0)
                leaveAt = now + Self.leaveMilliseconds
            }
        case .bye:
            if case .leaving = phase { finish(&effects) }
        case .pong(let sequence, _) where sequence == asked: break
        case .state, .outcome, .registered, .activity, .channel, .pong, .nodeStatus: answer(message, &effects)
        }
    }

    private mutating func open(_ ready: Ready, _ effects: inout [ClientEffect]) {
        guard case .greeting(ready.sequence, _) = phase else {
            statistics.unexpected += 1
            return
        }
        phase = .open
        failuresInARow = 0
        statistics.sessions += 1
        credit.begin(credit: ready.credit)
        effects.append(.opened(ready))
    }

    private mutating func refuse(_ nack: Nack, _ now: Int64, _ effects: inout [ClientEffect]) {
        if nack.known == .helloRequired {
            // Everything in flight gets this answer; only the first of them finds the session open.
            guard phase == .open else { return }
            loseSession()
            greet(now, &effects)
            return
        }
        guard let sequence = nack.sequence else {
            statistics.unexpected += 1
            return
        }
        if case .greeting(sequence, _) = phase {
            failAll(nack.fault, &effects)
            phase = .connecting(since: now)
            if nodes > 1 { effects.append(.changeNode) }
        } else if sequence >= Self.firstRequest {
            refuseRequest(nack, sequence, now, &effects)
        } else {
            refusePublish(nack, sequence, now, &effects)
        }
    }

    // MARK: Time

    /// Call about every 100 ms: ends what has waited too long.
    mutating func tick(now: Int64, into effects: inout [ClientEffect]) {
        switch phase {
        case .connecting(let since) where now - since >= patience.connectMilliseconds:
            phase = .connecting(since: now)
            effects.append(.changeNode)
        case .greeting(_, let since) where now - since >= patience.connectMilliseconds:
            greet(now, &effects)
        case .closed: return
        default: break
        }
        if let leaveAt, now >= leaveAt || pending.isEmpty {
            self.leaveAt = nil
            effects.append(.changeNode)
        }
        watchSilence(now, &effects)
        expirePublishes(now, &effects)
        expireRequests(now, &effects)
    }

    /// A frozen node keeps its connection open: whoever does not even answer a ping is left for the next one. So is a
    /// node that answers but gets no event accepted: it may be cut off from the others.
    private mutating func watchSilence(_ now: Int64, _ effects: inout [ClientEffect]) {
        let isWaiting = !pending.isEmpty || requests.values.contains(where: \.isSent)
        guard phase == .open, nodes > 1, isWaiting else {
            (heardAt, progressAt, pinged) = (now, now, nil)
            return
        }
        if pending.isEmpty { progressAt = now }
        let isStuck = now - progressAt >= 2 * patience.silenceMilliseconds
        if isStuck || now - heardAt >= patience.silenceMilliseconds {
            (heardAt, progressAt, pinged) = (now, now, nil)
            statistics.silences += 1
            effects.append(.changeNode)
        } else if pinged == nil, 2 * (now - heardAt) >= patience.silenceMilliseconds {
            let sequence = takeRequestNumber()
            pinged = sequence
            effects.append(.send(.ping(sequence: sequence)))
        }
    }

    /// Sends what may be sent: first what was lost, then what is due again, then what is new.
    mutating func pump(now: Int64, into effects: inout [ClientEffect]) {
        if phase == .open {
            sendRequests(now, &effects)
            resendLost(now, &effects)
            retryDue(now, &effects)
            sendNew(now, &effects)
        }
        if isClosing, phase != .closed { close(now, &effects) }
    }

    // MARK: Closing

    /// No more is handed over; ends when everything has its result, or at `deadline`.
    mutating func close(by deadline: Int64) {
        isClosing = true
        closeDeadline = deadline
    }

    private mutating func close(_ now: Int64, _ effects: inout [ClientEffect]) {
        if now >= closeDeadline { return finish(&effects) }
        guard isIdle else { return }
        switch phase {
        case .open:
            phase = .leaving(since: now)
            effects.append(.send(.bye(sequence: takeRequestNumber())))
        case .connecting: finish(&effects)
        case .greeting, .leaving, .closed: break
        }
    }

    private mutating func finish(_ effects: inout [ClientEffect]) {
        failAll(Fault(.clientClosed), &effects)
        phase = .closed
        effects.append(.close)
    }

    private mutating func failAll(_ fault: Fault, _ effects: inout [ClientEffect]) {
        let refusal = Refusal(fault)
        for sequence in pending.keys.sorted() { settlePending(sequence, .failure(refusal), &effects) }
        while let submission = waiting.popFirst() { settle(submission, .failure(refusal), &effects) }
        for sequence in requests.keys.sorted() { finishRequest(sequence, .failure(refusal), &effects) }
        resends.removeAll()
        retries.removeAll()
    }
}
