/// Decides when a provider token is signed anew. Pure: times come in, a decision goes out.
///
/// APNs wants a token renewed at least every 60 minutes and at most every 20 (Docs/APNs.md 2.1). Age is measured with
/// the boot-time clock, which never steps; the wall clock only gives `iat`. A token is renewed early, but never
/// before 20 minutes, when APNs says that it expired or when the wall clock was stepped after it was signed, because
/// its `iat` is then wrong.
struct ProviderTokenSchedule: Sendable, Equatable {
    /// What to do with the token at hand.
    enum Decision: Sendable, Equatable {
        /// Sign a new one and call `signed`.
        case sign
        /// Use the one there is.
        case keep
        /// The one there is was refused and may not be renewed yet: send nothing before this boot time, in
        /// milliseconds.
        case hold(untilMilliseconds: Int64)
    }

    static let renewalMillisecondsMin: Int64 = 20 * 60_000
    static let renewalMillisecondsMax: Int64 = 60 * 60_000
    /// A clock that moved by more than this against the boot-time clock was stepped.
    static let stepMillisecondsMax: Int64 = 5 * 60_000
    /// The first wait after a refusal; doubles with each refusal of the same token.
    static let holdMillisecondsMin: Int64 = 15_000

    let renewAfterMilliseconds: Int64
    private(set) var generation: UInt32 = 0
    private var signedAtMilliseconds: Int64 = 0
    private var wallOffsetMilliseconds: Int64 = 0
    private var refusals = 0
    private var renewalWanted = false
    private var heldUntilMilliseconds: Int64 = .min

    /// Renews after `renewAfterMilliseconds`, held within 20 to 60 minutes (55 at most, so that none arrives expired).
    init(renewAfterMilliseconds: Int64 = 45 * 60_000) {
        let latest = Self.renewalMillisecondsMax - 5 * 60_000
        self.renewAfterMilliseconds = min(max(renewAfterMilliseconds, Self.renewalMillisecondsMin), latest)
    }

    /// Age of the token in milliseconds; nil before the first.
    func age(bootMilliseconds: Int64) -> Int64? {
        generation == 0 ? nil : bootMilliseconds - signedAtMilliseconds
    }

    /// What to do now. Call before each batch of requests.
    mutating func decide(bootMilliseconds: Int64, wallMilliseconds: Int64) -> Decision {
        guard let age = age(bootMilliseconds: bootMilliseconds) else { return .sign }
        if age >= renewAfterMilliseconds { return .sign }
        let step = wallMilliseconds - bootMilliseconds - wallOffsetMilliseconds
        let stepped = abs(step) > Self.stepMillisecondsMax
        if age >= Self.renewalMillisecondsMin, stepped || renewalWanted { return .sign }
        return bootMilliseconds < heldUntilMilliseconds ? .hold(untilMilliseconds: heldUntilMilliseconds) : .keep
    }

    /// A new token was signed with `wallMilliseconds` as its `iat`.
    mutating func signed(bootMilliseconds: Int64, wallMilliseconds: Int64) {
        generation += 1
        signedAtMilliseconds = bootMilliseconds
        wallOffsetMilliseconds = wallMilliseconds - bootMilliseconds
        refusals = 0
        renewalWanted = false
        heldUntilMilliseconds = .min
    }

    /// APNs says that token `generation` has expired. Said of an older token, or again within a hold, it changes
    /// nothing: thousands of streams may say the same.
    mutating func expired(generation: UInt32, bootMilliseconds: Int64) {
        guard generation == self.generation, bootMilliseconds >= heldUntilMilliseconds else { return }
        renewalWanted = true
        let wait = min(Self.holdMillisecondsMin << Int64(min(refusals, 6)), Self.renewalMillisecondsMin)
        refusals += 1
        let renewalAt = signedAtMilliseconds + Self.renewalMillisecondsMin
        heldUntilMilliseconds = bootMilliseconds + wait
        if renewalAt > bootMilliseconds { heldUntilMilliseconds = min(heldUntilMilliseconds, renewalAt) }
    }

    /// APNs answered a request with token `generation` as good: the refusals are over.
    mutating func accepted(generation: UInt32) {
        guard generation == self.generation, refusals > 0 else { return }
        refusals = 0
        renewalWanted = false
        heldUntilMilliseconds = .min
    }
}
