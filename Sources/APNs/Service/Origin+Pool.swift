internal import Delivery

/// What the loop tells the pool; what the pool wants done about it is collected in `effects`.
extension Origin {
    mutating func start(_ now: Moment) { pool.start(now: now, into: &effects) }
    mutating func tick(_ now: Moment) { pool.tick(now: now, into: &effects) }
    mutating func shutDown(_ now: Moment) { pool.shutDown(now: now, into: &effects) }
    mutating func need(_ waiting: Int, _ now: Moment) { pool.need(waiting: waiting, now: now, into: &effects) }

    mutating func opened(_ id: ConnectionID, _ now: Moment) {
        // Without SETTINGS there is no limit, but until the first answer there is one stream anyway.
        pool.opened(id, limit: nil, now: now, into: &effects)
    }

    mutating func closed(_ id: ConnectionID, _ cause: CloseCause, _ now: Moment) {
        pool.closed(id, cause, now: now, into: &effects)
    }

    mutating func peerLimit(_ id: ConnectionID, _ limit: Int, _ now: Moment) {
        pool.peerLimit(id, limit, now: now, into: &effects)
    }

    mutating func goAway(_ id: ConnectionID, _ reason: Reason?, calm: Bool, _ now: Moment) {
        pool.goAway(id, reason: reason, calm: calm, now: now, into: &effects)
    }

    mutating func requestStarted(_ id: ConnectionID, _ now: Moment) {
        pool.requestStarted(id, now: now, into: &effects)
    }

    mutating func requestFinished(_ id: ConnectionID, _ end: RequestEnd, _ now: Moment) {
        pool.requestFinished(id, end, now: now, into: &effects)
    }
}
