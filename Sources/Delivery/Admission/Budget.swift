/// How much may be sent at once and how fast that comes back. Apple publishes no numbers: every value is our choice.
public struct Budget: Hashable, Sendable {
    /// Most tokens that can be saved up: the largest burst. 1 to 1,000,000,000.
    public let capacity: Int
    /// Thousandths of a token that come back per second: 500 is one token every two seconds. 1 to 10^12.
    public let refillMillitokensPerSecond: Int

    /// Makes a budget; values out of range are moved to the nearest allowed one.
    public init(capacity: Int, refillMillitokensPerSecond: Int) {
        self.capacity = min(max(capacity, 1), 1_000_000_000)
        self.refillMillitokensPerSecond = min(max(refillMillitokensPerSecond, 1), 1_000_000_000_000)
    }

    /// Makes a budget with whole tokens per second.
    public init(capacity: Int, refillPerSecond: Int) {
        let bounded = min(max(refillPerSecond, 1), 1_000_000_000)
        self.init(capacity: capacity, refillMillitokensPerSecond: bounded * 1000)
    }
}
