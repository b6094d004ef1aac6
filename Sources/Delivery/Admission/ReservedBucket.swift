/// A budget with a part set aside for `end` and important events.
///
/// Two buckets share one rate. The shared one serves everybody in the order of due times; the reserve serves only
/// what is urgent, and what does not fit into the reserve any more flows into the shared one. So urgent events have
/// their share whatever the others do, the others have theirs whatever urgent ones do, and nothing of the rate is
/// lost.
struct ReservedBucket: Hashable, Sendable {
    private(set) var shared: TokenBucket
    private(set) var reserve: TokenBucket
    private let rate: Int64
    private(set) var filledAt: Int64

    /// `reservePermille` of capacity and rate is the reserve: 0 to 900.
    init(_ budget: Budget, reservePermille: Int, at bootMilliseconds: Int64) {
        let permille = Int64(min(max(reservePermille, 0), 900))
        let capacity = Int64(budget.capacity) * TokenBucket.unit
        rate = Int64(budget.refillMillitokensPerSecond)
        let reserved = capacity / 1000 * permille
        let reservedRate = rate * permille / 1000
        reserve = TokenBucket(capacity: reserved, rate: reservedRate, at: bootMilliseconds)
        shared = TokenBucket(capacity: capacity - reserved, rate: rate - reservedRate, at: bootMilliseconds)
        filledAt = bootMilliseconds
    }

    var isFull: Bool { shared.missing <= 0 && reserve.missing <= 0 }

    mutating func refill(bootMilliseconds: Int64) {
        guard bootMilliseconds > filledAt else { return }
        let elapsed = shared.elapse(to: bootMilliseconds)
        _ = reserve.elapse(to: bootMilliseconds)
        filledAt = bootMilliseconds
        let missing = shared.missing + reserve.missing
        // Within this bound the products below cannot overflow, and beyond it both are full anyway.
        let useful = min(elapsed, TokenBucket.ceiling(missing, rate))
        let surplus = reserve.add(useful * reserve.rate)
        let rest = shared.add(useful * shared.rate + surplus)
        _ = reserve.add(rest)
    }

    /// Whether a request may go in its turn.
    func sharedHolds(_ cost: Int) -> Bool { shared.holds(cost) }

    /// Whether an urgent request may go out of turn.
    func reserveHolds(_ cost: Int) -> Bool { reserve.capacity > 0 && reserve.holds(cost) }

    func holds(_ cost: Int, urgent: Bool) -> Bool { sharedHolds(cost) || urgent && reserveHolds(cost) }

    mutating func takeShared(_ cost: Int) {
        shared.take(cost)
    }

    mutating func takeReserve(_ cost: Int) {
        reserve.take(cost)
    }

    /// Takes from the shared part if that holds it, else from the reserve.
    mutating func take(_ cost: Int) {
        if sharedHolds(cost) || reserve.capacity == 0 { takeShared(cost) } else { takeReserve(cost) }
    }

    /// When a request may go, in milliseconds since boot, if nothing else is taken until then.
    func availableAt(_ cost: Int, urgent: Bool) -> Int64 {
        var wait = sharedWait(cost)
        if urgent, reserve.capacity > 0 { wait = min(wait, reserve.wait(cost)) }
        return filledAt + wait
    }

    /// When both parts will be full.
    var fullAt: Int64 { filledAt + TokenBucket.ceiling(shared.missing + reserve.missing, rate) }

    private func sharedWait(_ cost: Int) -> Int64 {
        let lacking = shared.need(cost) - shared.level
        guard lacking > 0 else { return 0 }
        guard reserve.rate > 0 || reserve.missing <= 0 else { return TokenBucket.ceiling(lacking, shared.rate) }
        // Until the reserve is full the shared part gets its own rate, afterwards the whole of it.
        let alone = reserve.rate > 0 ? TokenBucket.ceiling(reserve.missing, reserve.rate) : 0
        let simple = TokenBucket.ceiling(lacking, shared.rate)
        guard simple > alone else { return simple }
        return alone + TokenBucket.ceiling(lacking - alone * shared.rate, rate)
    }
}
