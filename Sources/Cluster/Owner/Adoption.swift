/// A shard that is served here from now on.
public struct Adoption: Sendable {
    /// 0…4096; 4096 is the registry.
    public var shard: UInt16
    /// Ownership epoch: goes into the versions of its names.
    public var epoch: UInt64
    /// Copies that an acknowledged event of it has.
    public var copies: Int
    /// Every row of its table, in any order.
    public var rows: [(kind: UInt8, key: [UInt8], value: [UInt8])]
    /// It was another node's, or another run's of this node: what was sent within the last minute is sent again
    /// quietly, because the former owner may have put an older message behind it.
    public var isReassertion: Bool
    /// Newer states may have been lost, and devices may show them: nothing of what is left is sent again.
    public var isPartial: Bool

    /// Makes an adoption.
    public init(
        shard: UInt16, epoch: UInt64, copies: Int = 1, rows: [(kind: UInt8, key: [UInt8], value: [UInt8])],
        isReassertion: Bool = false, isPartial: Bool = false
    ) {
        self.shard = shard
        self.epoch = epoch
        self.copies = copies
        self.rows = rows
        self.isReassertion = isReassertion
        self.isPartial = isPartial
    }
}
