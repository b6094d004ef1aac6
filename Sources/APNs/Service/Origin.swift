internal import Delivery
internal import HTTP2
internal import Loops
internal import Telemetry

/// One app's connections to one host, on one loop: Delivery's pool with sockets in its hands.
///
/// Threads: one, the loop that owns it. A value, so that the hot path pays no access checks of class properties.
struct Origin {
    let context: AppContext
    let endpoint: APNsEndpoint
    /// The lanes that are sent from here.
    let outlets: [Outlet]
    var pool: ConnectionPool
    var effects: [PoolEffect] = []
    /// A handful: searched faster than hashed.
    var links: [Link] = []
    /// Connections whose name is being resolved.
    var resolving: Set<ConnectionID> = []
    /// Where to begin in the list of addresses; moves on when one does not answer.
    var rotation = 0
    /// Requests with the present token.
    private(set) var requests = SendRequests()
    /// Nothing is sent before this time, in milliseconds since boot: APNs refused the token.
    private(set) var heldUntilMilliseconds: Int64 = 0
    /// A token that was believed in this turn.
    var believedGeneration: UInt32 = 0
    /// Which outlet goes first; changes from turn to turn.
    var turn = 0
    var figures = AppFigures()

    init(context: AppContext, endpoint: APNsEndpoint, outlets: [Outlet], pool: ConnectionPool) {
        self.context = context
        self.endpoint = endpoint
        self.outlets = outlets
        self.pool = pool
    }

    /// Gets the present token; false when nothing may be sent now.
    mutating func prepare(_ now: Moment) -> Bool {
        switch context.tokens.current(now) {
        case .hold(let until):
            heldUntilMilliseconds = until
            return false
        case .token(let token):
            heldUntilMilliseconds = 0
            guard requests.generation != token.generation else { return true }
            let wasFirst = requests.generation == 0
            requests = SendRequests(app: context.app, token: token)
            // A pool that stopped because of the old token need not wait for its trial.
            if !wasFirst, pool.isRefused { pool.credentialsChanged(now: now, into: &effects) }
            return true
        }
    }

    /// The open or opening connection that the pool calls `id`.
    func link(_ id: ConnectionID) -> Link? {
        for link in links where link.id == id { return link }
        return nil
    }

    // Mutating although the first changes nothing: only then is it called in place instead of on a copy.

    /// The connection for the next request; nil when none has room.
    mutating func choose() -> Link? {
        guard let id = pool.choose() else { return nil }
        return link(id)
    }

    /// Submits the request that brings `item` to `destination` on the chosen connection; false when it does not take
    /// it.
    mutating func submit(
        _ item: PushItem, to destination: Destination, identifier: (UInt64, UInt64), body: [UInt8], on link: Link,
        tag: UInt64, _ now: Moment
    ) -> Bool {
        let taken = requests.submit(
            item, to: destination, identifier: identifier, body: body, on: link.connection, tag: tag)
        guard taken else { return false }
        pool.requestStarted(link.id, now: now, into: &effects)
        figures.requests += 1
        return true
    }

    /// Counts an answer and tells the pool.
    mutating func answered(
        _ verdict: Verdict, on link: Link, tokenGeneration: UInt32, nanoseconds: Int64, _ now: Moment
    ) {
        figures.latency.record(nanoseconds)
        if verdict.isAccepted { figures.accepted += 1 } else { figures.countRefusal(verdict.answer) }
        if verdict.provesCredentials { believedGeneration = tokenGeneration }
        pool.requestFinished(link.id, .answered(verdict), now: now, into: &effects)
    }
}
