import Testing

@testable import Delivery

/// A shell and a peer around one pool: requests that must each end once, and connections that misbehave.
struct PoolWorld {
    struct Peer {
        var isOpen = false
        var limit: Int?
        var proven = false
        var takes = true
        var isGoingAway = false
        var requests: Set<Int> = []
        var closeAsked = false
    }

    var pool: ConnectionPool
    var random: SplitMix64
    var now = moment(0)
    var peers: [UInt64: Peer] = [:]
    var queue: [Int] = []
    var ended: [Int: Int] = [:]
    var created = 0
    var effects: [PoolEffect] = []
    var problems: [String] = []
    var calm = false

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        var settings = PoolSettings()
        settings.connectionsMin = Int(random.below(3))
        settings.connectionsMax = 1 + Int(random.below(4))
        settings.streamsMax = 1 + Int(random.below(300))
        settings.churn = Budget(capacity: 20, refillPerSecond: 1)
        settings.connect = BackOff(baseMilliseconds: 50, maxMilliseconds: 1_000)
        pool = ConnectionPool(settings: settings, seed: seed, now: now)
    }

    mutating func fail(_ text: String) {
        if problems.count < 10 { problems.append(text) }
    }

    mutating func create(_ count: Int) {
        for _ in 0..<count {
            created += 1
            queue.append(created)
        }
        pump()
    }

    /// What a shell does each turn: say what waits, start what has room, do what the pool wants.
    mutating func pump() {
        pool.need(waiting: queue.count, now: now, into: &effects)
        obey()
        while !queue.isEmpty, let id = pool.choose() {
            let peer = peers[id.rawValue]!
            if !peer.isOpen || peer.isGoingAway || !peer.takes { fail("chose \(id.rawValue), which takes nothing") }
            if peer.requests.count >= peer.limit ?? .max { fail("exceeded the limit \(peer.limit ?? 0)") }
            if !peer.proven, !peer.requests.isEmpty { fail("two streams before the first answer") }
            if peer.requests.count >= pool.settings.streamsMax { fail("exceeded the configured streams") }
            let request = queue.removeFirst()
            peers[id.rawValue]!.requests.insert(request)
            pool.requestStarted(id, now: now, into: &effects)
            pool.need(waiting: queue.count, now: now, into: &effects)
            obey()
        }
        if pool.liveCount > pool.settings.connectionsMax { fail("too many connections") }
        if pool.inUse != peers.values.reduce(0, { $0 + $1.requests.count }) { fail("lost count") }
    }

    mutating func obey() {
        while !effects.isEmpty {
            let batch = effects
            effects.removeAll()
            for effect in batch { obey(effect) }
        }
    }

    private mutating func obey(_ effect: PoolEffect) {
        switch effect {
        case .connect(let id):
            if peers[id.rawValue] != nil { fail("an identifier twice") }
            peers[id.rawValue] = Peer()
        case .close(let id, let reason):
            guard let peer = peers[id.rawValue] else { return fail("closes what is gone") }
            if peer.closeAsked { fail("closes twice") }
            if reason == .drained, !peer.requests.isEmpty { fail("not drained") }
            peers[id.rawValue]!.closeAsked = true
            peers[id.rawValue]!.takes = false
        case .drain(let id):
            guard peers[id.rawValue] != nil else { return fail("drains what is gone") }
            peers[id.rawValue]!.takes = false
        case .ping(let id):
            guard peers[id.rawValue] != nil else { return fail("pings what is gone") }
            if calm || !random.once(in: 4) { pool.pong(id, now: now) }
        case .report: break
        }
    }

    // MARK: What can happen

    mutating func happen() {
        guard let id = random.pick(peers.keys.sorted()) else { return }
        let peer = peers[id]!
        if peer.closeAsked { return close(id) }
        guard peer.isOpen else { return calm || !random.once(in: 5) ? open(id) : close(id) }
        switch calm ? 0 : random.below(12) {
        case 0..<7: answerOne(id)
        case 7:
            let limit = random.pick([0, 1, 2, 100, 1_000])!
            peers[id]!.limit = limit
            pool.peerLimit(connection(id), limit, now: now, into: &effects)
        case 8 where random.once(in: 3):
            peers[id]!.isGoingAway = true
            // Those above the last stream were not processed: they go back into the queue.
            for request in peer.requests.sorted() where random.once(in: 2) { giveBack(request, id, .reset) }
            pool.goAway(
                connection(id), reason: nil, calm: random.once(in: 5), now: now, into: &effects)
        case 9 where random.once(in: 4): close(id)
        case 10: if let request = random.pick(peer.requests.sorted()) { giveBack(request, id, .timedOut) }
        default: answerOne(id)
        }
        obey()
    }

    private mutating func open(_ id: UInt64) {
        let limit = random.pick([nil, 1, 1, 500])!
        peers[id]!.isOpen = true
        peers[id]!.limit = limit
        pool.opened(connection(id), limit: limit, now: now, into: &effects)
    }

    private mutating func answerOne(_ id: UInt64) {
        guard let request = random.pick(peers[id]!.requests.sorted()) else { return }
        let answers: [(UInt16, String?)] = [
            (200, nil), (200, nil), (200, nil), (400, "BadDeviceToken"), (403, "ExpiredProviderToken"),
            (429, "TooManyRequests"), (503, "Shutdown"), (403, "InvalidProviderToken"),
        ]
        let (status, reason) = calm ? (200, nil) : random.pick(answers)!
        let said = verdict(status, reason, .device)
        if said.provesCredentials { peers[id]!.proven = true }
        peers[id]!.requests.remove(request)
        ended[request, default: 0] += 1
        pool.requestFinished(connection(id), .answered(said), now: now, into: &effects)
    }

    /// Ended without an answer: the lane offers it again, as another request for the pool.
    private mutating func giveBack(_ request: Int, _ id: UInt64, _ end: RequestEnd) {
        peers[id]!.requests.remove(request)
        queue.append(request)
        pool.requestFinished(connection(id), end, now: now, into: &effects)
    }

    private mutating func close(_ id: UInt64) {
        queue += peers[id]!.requests.sorted()
        let asked = peers[id]!.closeAsked
        peers[id] = nil
        pool.closed(connection(id), asked ? .asked : .transient, now: now, into: &effects)
        obey()
        // And once more, from a late event of the dead connection.
        if random.once(in: 5) { pool.closed(connection(id), .transient, now: now, into: &effects) }
    }

    mutating func passTime(_ milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
        pool.tick(now: now, into: &effects)
        obey()
    }
}

@Suite struct PoolPropertyTests {
    /// Every request ends exactly once, limits hold at every step, and when the trouble is over the pool is not stuck.
    @Test(arguments: 0..<40) func everyRequestEndsOnce(seed: Int) {
        var world = PoolWorld(seed: UInt64(seed))
        for _ in 0..<1_500 {
            switch world.random.below(8) {
            case 0: world.create(Int(world.random.below(20)))
            case 1..<7: world.happen()
            default: world.passTime(world.random.once(in: 30) ? 20_000 : world.random.below(300))
            }
            world.pump()
        }
        world.calm = true
        for id in world.peers.keys.sorted() where world.peers[id]!.isOpen {
            world.peers[id]!.limit = 100
            world.pool.peerLimit(connection(id), 100, now: world.now, into: &world.effects)
        }
        world.obey()
        var turns = 0
        while world.ended.count < world.created, turns < 200_000 {
            turns += 1
            world.happen()
            world.pump()
            if turns % 50 == 0 { world.passTime(1_000) }
        }
        #expect(world.problems.isEmpty, "seed \(seed): \(world.problems)")
        #expect(world.ended.count == world.created, "seed \(seed): stuck")
        #expect(world.ended.values.allSatisfy { $0 == 1 })
        #expect(world.pool.counters.overcommitted == 0)
    }

    /// Deadlines lead somewhere: following them alone never turns in a circle.
    @Test(arguments: 0..<10) func deadlinesMakeProgress(seed: Int) {
        var world = PoolWorld(seed: UInt64(seed))
        world.create(50)
        for _ in 0..<300 { world.happen() }
        var same = 0
        for _ in 0..<500 {
            guard let deadline = world.pool.nextDeadline else { break }
            same = deadline <= world.now.bootMilliseconds ? same + 1 : 0
            #expect(same < 3, "seed \(seed): tick changes nothing")
            world.passTime(max(0, deadline - world.now.bootMilliseconds))
        }
    }
}
