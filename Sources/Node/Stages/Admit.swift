internal import Cluster
internal import Configuration
internal import Delivery

/// Admit: the budgets decide when each key may send. The decision is `Delivery.Admission`'s, asked by the core at the
/// end of every turn; this file only translates the configuration, and says how long the loop may sleep.
extension CoreLoop {
    /// The longest sleep of the loop, in milliseconds: a bound for whatever has no deadline.
    static let sleepMilliseconds: Int64 = 250

    /// Releases what is due and closes the turn's batch.
    func admit(now: Moment) {
        core.handle(.tick, now: now, into: &effects)
        core.endTurn(now: now, into: &effects)
    }

    /// How long nothing can become due, in milliseconds.
    func sleepMilliseconds(now: Moment) -> Int {
        guard let deadline = core.nextDeadline else { return Int(Self.sleepMilliseconds) }
        guard deadline > now.bootMilliseconds else { return 0 }
        return Int(min(Self.sleepMilliseconds, deadline - now.bootMilliseconds))
    }
}

extension AdmissionSettings {
    /// The budgets of the configuration.
    init(_ settings: Settings) {
        self.init()
        keyIntervalMilliseconds = Int64(settings.delivery.keyIntervalMilliseconds)
        reservePermille = settings.budgets.app.reservePercent * 10
        appDefault = Budget(settings.budgets.app)
        channelStored = Budget(settings.budgets.channelStored)
        channelUnstored = Budget(settings.budgets.channelUnstored)
        ticketsMax = settings.limits.keys
    }
}

extension Budget {
    /// A token bucket as configured.
    init(_ settings: BudgetSettings) {
        self.init(
            capacity: Int(settings.burst.rounded()),
            refillMillitokensPerSecond: max(1, Int((settings.perSecond * 1000).rounded())))
    }
}
