import Wire

/// Shards that are being handed over: no new versions and sends, the requests in flight are waited for, then the shard
/// is let go and the coordinator gives it to a replica that has everything. A node that is to stop hands all over.
///
/// Some at a time, counted by their names and until their new owners serve them: a key is without service only for as
/// long as the few beside it take to be read.
struct Handing: Sendable {
    private static let everyMilliseconds: Int64 = 10
    /// How long a shard that has another owner is believed to be on its way there without word, in milliseconds.
    private static let unservedMilliseconds: Int64 = 500

    /// A shard under way.
    struct Item {
        /// When it is let go whatever is in flight, or believed to be served, in milliseconds since boot.
        let until: Int64
        let names: Int
    }

    /// What the coordinator wants let go, with the epochs that it means.
    private(set) var wanted: [UInt16: UInt64] = [:]
    /// Shards to be let go as soon as they are quiet.
    private(set) var shards: [UInt16: Item] = [:]
    /// Shards that others own now and do not serve yet, as far as is known.
    private var unserved: [UInt16: Item] = [:]
    /// Everything goes.
    private(set) var isDraining = false
    /// The node leaves for good: it stays until its copies are elsewhere, too.
    private(set) var isFinal = false
    private(set) var isDone = false
    /// The coordinator says that this node is no member any more.
    private(set) var isRemoved = false
    private var lookAt: Int64 = .min
    /// When draining is given up.
    private(set) var giveUpAt: Int64 = .max
    /// Nothing is let go before the coordinator knows that this node is to have nothing, or for so long.
    private(set) var announceUntil: Int64 = .min

    var nextDeadline: Int64? {
        let isIdle = wanted.isEmpty && count == 0 && (!isDraining || isDone)
        return isIdle ? nil : lookAt
    }

    func contains(_ shard: UInt16) -> Bool { !shards.isEmpty && shards[shard] != nil }

    /// Shards that are under way.
    var count: Int { shards.count + unserved.count }

    /// Names in these.
    var names: Int {
        shards.values.reduce(0) { $0 + $1.names } + unserved.values.reduce(0) { $0 + $1.names }
    }

    /// The coordinator wants this one; at most one epoch of each is remembered.
    mutating func want(_ shard: UInt16, epoch: UInt64) {
        if !contains(shard) { wanted[shard] = epoch }
    }

    /// It is begun with, or not meant any more.
    mutating func unwant(_ shard: UInt16) { wanted[shard] = nil }

    mutating func add(_ shard: UInt16, names: Int, until: Int64) {
        guard shards[shard] == nil else { return }
        noteServed(shard)
        shards[shard] = Item(until: until, names: names)
    }

    /// Somebody else owns it, and is to say when it is served.
    mutating func moveOn(_ shard: UInt16, now: Int64) {
        guard let item = shards.removeValue(forKey: shard) else { return }
        unserved[shard] = Item(until: now + Self.unservedMilliseconds, names: item.names)
    }

    /// It is not to be let go any more.
    mutating func forget(_ shard: UInt16) { shards[shard] = nil }

    /// Its new owner serves it: there may be room for the next.
    mutating func noteServed(_ shard: UInt16) {
        if unserved.removeValue(forKey: shard) != nil { lookAt = .min }
    }

    private mutating func waitNoLonger(now: Int64) {
        for (shard, item) in unserved where now >= item.until { noteServed(shard) }
    }

    mutating func drain(isFinal: Bool, announceUntil: Int64, giveUpAt: Int64) {
        guard !isDraining else { return }
        wanted = [:]
        isDraining = true
        self.isFinal = isFinal
        self.announceUntil = announceUntil
        self.giveUpAt = giveUpAt
    }

    mutating func isDue(now: Int64) -> Bool {
        guard nextDeadline != nil, now >= lookAt else { return false }
        waitNoLonger(now: now)
        lookAt = now + Self.everyMilliseconds
        return true
    }

    mutating func finish() { isDone = true }

    mutating func noteRemoved() { isRemoved = true }
}
