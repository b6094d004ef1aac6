/// `[budget.…]`: one kind of token bucket.
public struct BudgetSettings: Sendable, Hashable {
    /// Tokens that flow in per second.
    public var perSecond = 1.0
    /// Most tokens that can wait.
    public var burst = 10.0
    /// Share of the burst, in percent, that only `end` and important events may use; the same for all budgets.
    public var reservePercent = 20

    /// With every default.
    public init() {}

    init(perSecond: Double, burst: Double, reservePercent: Int) {
        (self.perSecond, self.burst, self.reservePercent) = (perSecond, burst, reservePercent)
    }
}

extension BudgetSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .number(
            "per_second", \.perSecond, 0.001...1_000_000,
            "Requests per second over a long time. Our choice: Apple publishes no number (Docs/APNs.md 5)."),
        .number(
            "burst", \.burst, 1...1_000_000,
            "Requests that may go at once after a quiet time. Our choice as well."),
        .integer(
            "reserve_percent", \.reservePercent, 0...90,
            """
            Share of every budget, those of channels too, that is kept for `end` and important events; others wait \
            when only it is left.
            """),
    ]

    /// Those of a channel's budget: its reserve is that of the app's.
    static let channelFields = fields.filter { $0.name != "reserve_percent" }
}

/// The three kinds of budget; a request needs a token of each that concerns it.
public struct Budgets: Sendable, Hashable {
    /// All requests of one app.
    public var app = BudgetSettings(perSecond: 5_000, burst: 10_000, reservePercent: 20)
    /// Broadcasts of one channel that stores its most recent message.
    public var channelStored = BudgetSettings(perSecond: 1, burst: 10, reservePercent: 20)
    /// Broadcasts of one channel that stores nothing.
    public var channelUnstored = BudgetSettings(perSecond: 2, burst: 20, reservePercent: 20)

    /// With every default.
    public init() {}
}
