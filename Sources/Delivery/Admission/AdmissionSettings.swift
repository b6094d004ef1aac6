/// Whose budgets a key uses.
public struct Account: Hashable, Sendable {
    /// What kind of key it is, and so which budget of its own it has.
    public enum Scope: UInt8, Hashable, Sendable {
        /// Channel with policy 0, No Message Stored: APNs allows more (Docs/APNs.md 5.4).
        case channelUnstored
        /// Channel with policy 1, Most Recent Message Stored: APNs allows less.
        case channelStored
        /// Activity followed by token: only the key interval and the app's budget pace it here.
        case activity
    }

    /// Index of the app in the node's configuration.
    public var app: UInt16
    /// The kind of key.
    public var scope: Scope

    /// Makes an account.
    public init(app: UInt16, scope: Scope) {
        self.app = app
        self.scope = scope
    }
}

/// The knobs of Admit. All numbers are our choice: Apple publishes none.
public struct AdmissionSettings: Hashable, Sendable {
    /// Shortest time between two releases of one key, in milliseconds; whole seconds because stamps are
    /// (Docs/APNs.md 4.3).
    public var keyIntervalMilliseconds: Int64
    /// Thousandths of every budget set aside for `end` and important events, 0 to 900.
    public var reservePermille: Int
    /// Budget of each app, by index, in requests; an index beyond the array uses `appDefault`.
    public var apps: [Budget]
    /// Budget of an app without one of its own.
    public var appDefault: Budget
    /// Budget of each channel with policy 0, in broadcasts.
    public var channelUnstored: Budget
    /// Budget of each channel with policy 1, in broadcasts.
    public var channelStored: Budget
    /// Most keys in memory, those that only remember their last release among them.
    public var ticketsMax: Int

    /// The defaults.
    public init() {
        keyIntervalMilliseconds = 1000
        reservePermille = 200
        apps = []
        appDefault = Budget(capacity: 20_000, refillPerSecond: 20_000)
        channelUnstored = Budget(capacity: 10, refillPerSecond: 1)
        channelStored = Budget(capacity: 5, refillMillitokensPerSecond: 500)
        ticketsMax = 1_000_000
    }

    func app(_ index: UInt16) -> Budget {
        Int(index) < apps.count ? apps[Int(index)] : appDefault
    }

    func key(_ scope: Account.Scope) -> Budget? {
        switch scope {
        case .channelUnstored: channelUnstored
        case .channelStored: channelStored
        case .activity: nil
        }
    }
}

/// What a key waits for.
public enum Deferral: UInt8, Hashable, Sendable {
    /// Its last release is less than the key interval ago.
    case key
    /// The channel's budget is used up.
    case channel
    /// The app's budget is used up.
    case app
    /// The producer asked not to send it before a time.
    case notBefore
}

/// What Admit counted since it was made. A key counts once per release and cause, however often it is asked for.
public struct AdmissionCounters: Hashable, Sendable {
    /// Releases.
    public var released = 0
    /// Releases of urgent events.
    public var releasedUrgent = 0
    /// Releases out of turn, from an app's reserve.
    public var releasedFromReserve = 0
    /// Deferred by the key interval.
    public var deferredByKey = 0
    /// Deferred by a channel's budget.
    public var deferredByChannel = 0
    /// Deferred by an app's budget, counted for the key at the head of the queue.
    public var deferredByApp = 0
    /// Deferred because the producer asked so.
    public var deferredByNotBefore = 0
    /// Requests turned away because `ticketsMax` keys are held.
    public var overloaded = 0

    /// All zero.
    public init() {}

    mutating func count(_ cause: Deferral) {
        switch cause {
        case .key: deferredByKey += 1
        case .channel: deferredByChannel += 1
        case .app: deferredByApp += 1
        case .notBefore: deferredByNotBefore += 1
        }
    }
}
