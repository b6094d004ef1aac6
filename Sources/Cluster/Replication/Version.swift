/// Which of two states of a key is newer: the epoch of the owner that assigned it, then the owner's count.
///
/// With one node the epoch stays 1; a take-over will raise it.
public struct Version: Hashable, Sendable, Comparable {
    /// Ownership epoch of the key's shard, from 1.
    public var epoch: UInt64
    /// Counts the versions of a name, from 1, over all its instances.
    public var sequence: UInt64

    /// Makes a version.
    public init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Epoch first.
    public static func < (left: Version, right: Version) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}
