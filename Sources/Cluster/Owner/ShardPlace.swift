/// What the core of an owner knows of one shard.
struct ShardPlace: Sendable {
    /// Whether it is served here.
    var isOwned = false
    /// Nothing of it is released: it is being handed over.
    var isPaused = false
    /// The epoch of its versions.
    var epoch: UInt64 = 0
    /// How many copies an acknowledged event has.
    var copies = 1
    /// Counts the adoptions: what waits for an earlier one does not wait for this one.
    var adoption: UInt64 = 0
    /// The last batch that holds rows of it, the open one among them.
    var written: UInt64 = 0
    /// Its rows up to this batch are committed.
    var committed: UInt64 = 0
    /// Its names.
    var slots: [Int32] = []
}
