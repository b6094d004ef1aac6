internal import Codes
internal import Delivery
internal import Loops

/// The one signer of a key on this node: it outlives connections and is shared by all loops, so that APNs never sees
/// more than one new token in 20 minutes from here.
///
/// Threads: any. Signing takes about 20 µs, once in 45 minutes, with the lock held: that is what makes it exactly one.
final class ProviderTokenSource: Sendable {
    /// What may be sent with now.
    enum Answer: Sendable {
        case token(ProviderToken)
        /// Nothing before this boot time, in milliseconds: APNs refused the token and it may not be renewed yet.
        case hold(untilMilliseconds: Int64)
    }

    private struct State {
        var schedule: ProviderTokenSchedule
        var token: ProviderToken?
        var signings: UInt64 = 0
        var failedUntilMilliseconds: Int64 = .min
    }

    /// After a failure to sign; it is a fault of our own that a retry will hardly cure.
    private static let signingRetryMilliseconds: Int64 = 60_000

    private let signer: ProviderTokenSigner
    private let state: Lock<State>
    private let notice: @Sendable (Fault) -> Void

    init(
        signer: ProviderTokenSigner, renewAfterMilliseconds: Int64, notice: @escaping @Sendable (Fault) -> Void
    ) {
        self.signer = signer
        self.notice = notice
        state = Lock(State(schedule: ProviderTokenSchedule(renewAfterMilliseconds: renewAfterMilliseconds)))
    }

    /// The token to send with now, signed anew when it is due.
    func current(_ now: Moment) -> Answer {
        let (answer, fault) = state.withLock { state in take(&state, now) }
        if let fault { notice(fault) }
        return answer
    }

    private func take(_ state: inout State, _ now: Moment) -> (Answer, Fault?) {
        switch state.schedule.decide(bootMilliseconds: now.bootMilliseconds, wallMilliseconds: now.wallMilliseconds) {
        case .hold(let until): return (.hold(untilMilliseconds: until), nil)
        case .keep:
            if let token = state.token { return (.token(token), nil) }
            return sign(&state, now)
        case .sign: return sign(&state, now)
        }
    }

    private func sign(_ state: inout State, _ now: Moment) -> (Answer, Fault?) {
        guard now.bootMilliseconds >= state.failedUntilMilliseconds else {
            return (.hold(untilMilliseconds: state.failedUntilMilliseconds), nil)
        }
        do throws(Fault) {
            let signed = try signer.sign(issuedAtSeconds: now.wallMilliseconds / 1000)
            state.schedule.signed(bootMilliseconds: now.bootMilliseconds, wallMilliseconds: now.wallMilliseconds)
            state.signings += 1
            let token = ProviderToken(generation: state.schedule.generation, token: signed)
            state.token = token
            return (.token(token), nil)
        } catch {
            state.failedUntilMilliseconds = now.bootMilliseconds + Self.signingRetryMilliseconds
            return (.hold(untilMilliseconds: state.failedUntilMilliseconds), error)
        }
    }

    /// APNs says that the token of `generation` has expired.
    func expired(generation: UInt32, _ now: Moment) {
        state.withLock { $0.schedule.expired(generation: generation, bootMilliseconds: now.bootMilliseconds) }
    }

    /// APNs took the token of `generation`.
    func accepted(generation: UInt32) {
        state.withLock { $0.schedule.accepted(generation: generation) }
    }

    /// Age of the token in milliseconds (nil before the first) and how many were signed, for the statistics.
    func figures(bootMilliseconds: Int64) -> (ageMilliseconds: Int64?, signings: UInt64) {
        state.withLock { ($0.schedule.age(bootMilliseconds: bootMilliseconds), $0.signings) }
    }
}
