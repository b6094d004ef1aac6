/// When a device had a start, and which shard's activity it was: a shard takes its times along when it moves.
struct StartTime: Hashable, Sendable {
    var shard: UInt16
    /// In milliseconds since 1970.
    var milliseconds: Int64
}
