internal import Delivery
internal import HTTP2
internal import Loops

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
    /// Requests with the present token; nil before the first.
    var requests: SendRequests?
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
            guard requests?.generation != token.generation else { return true }
            let wasFirst = requests == nil
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
}
