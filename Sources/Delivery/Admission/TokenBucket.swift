/// A token bucket in whole millionths of a token: over any time it gives exactly its rate, without rounding drift,
/// because one thousandth of a token per second is one millionth per millisecond.
///
/// A cost above the capacity is allowed once the bucket is full; the level then goes below zero and the debt is
/// worked off, so that a large audience is paced and not locked out.
public struct TokenBucket: Hashable, Sendable {
    static let unit: Int64 = 1_000_000
    /// Largest cost of one take, in tokens; larger ones count as this.
    static let costMax = 1_000_000_000

    let capacity: Int64
    let rate: Int64
    private(set) var level: Int64
    private var filledAt: Int64

    /// A full bucket at `bootMilliseconds`.
    public init(_ budget: Budget, bootMilliseconds: Int64) {
        self.init(
            capacity: Int64(budget.capacity) * Self.unit, rate: Int64(budget.refillMillitokensPerSecond),
            at: bootMilliseconds)
    }

    init(capacity: Int64, rate: Int64, at bootMilliseconds: Int64) {
        self.capacity = capacity
        self.rate = rate
        level = capacity
        filledAt = bootMilliseconds
    }

    /// Whole tokens in the bucket; negative while it works off a debt.
    public var tokens: Int64 { level / Self.unit }

    /// Adds what came back since the last call. Time going backwards adds nothing, and is not given twice later.
    public mutating func refill(bootMilliseconds: Int64) {
        _ = add(milliseconds: elapse(to: bootMilliseconds), ratePerMillisecond: rate)
    }

    /// Whether `cost` tokens may be taken now, after `refill`.
    public func holds(_ cost: Int) -> Bool { level >= need(cost) }

    /// Takes `cost` tokens; the caller asked `holds` before.
    public mutating func take(_ cost: Int) {
        level -= Self.micro(cost)
    }

    /// Milliseconds from the last refill until `holds(cost)`; 0 when it does already.
    public func wait(_ cost: Int) -> Int64 {
        Self.ceiling(need(cost) - level, rate)
    }

    /// When there will be a token again, in milliseconds since boot.
    var nextTokenAt: Int64 { filledAt + wait(1) }

    var missing: Int64 { capacity - level }

    func need(_ cost: Int) -> Int64 { min(Self.micro(cost), capacity) }

    static func micro(_ cost: Int) -> Int64 { Int64(min(max(cost, 0), costMax)) * unit }

    /// How many times `rate` has to come to reach `amount`.
    static func ceiling(_ amount: Int64, _ rate: Int64) -> Int64 {
        amount <= 0 ? 0 : (amount - 1) / max(rate, 1) + 1
    }

    mutating func elapse(to bootMilliseconds: Int64) -> Int64 {
        guard bootMilliseconds > filledAt else { return 0 }
        let (elapsed, overflow) = bootMilliseconds.subtractingReportingOverflow(filledAt)
        filledAt = bootMilliseconds
        return overflow ? .max : elapsed
    }

    /// Adds and returns what did not fit, which is less than what the last millisecond brought when the bucket
    /// fills up early: the rest of the time is not multiplied, so that nothing overflows.
    mutating func add(milliseconds: Int64, ratePerMillisecond: Int64) -> Int64 {
        let useful = min(milliseconds, Self.ceiling(missing, ratePerMillisecond))
        return add(useful * ratePerMillisecond)
    }

    /// Adds millionths of a token and returns what did not fit.
    mutating func add(_ amount: Int64) -> Int64 {
        let taken = min(amount, max(missing, 0))
        level += taken
        return amount - taken
    }
}
