/// One reading of both clocks, taken by the shell and passed in: the pure modules have no clock of their own.
public struct Moment: Hashable, Sendable {
    /// Milliseconds since 1970 (UTC); may step in either direction. For stamps, expiry and `not_before` only.
    public var wallMilliseconds: Int64
    /// Milliseconds since boot, suspend included; never steps. For pacing, back-off and time-outs.
    public var bootMilliseconds: Int64

    /// Makes a moment from the two readings.
    @inlinable
    public init(wallMilliseconds: Int64, bootMilliseconds: Int64) {
        self.wallMilliseconds = wallMilliseconds
        self.bootMilliseconds = bootMilliseconds
    }

    /// The moment `milliseconds` later on both clocks; meant for tests and simulations.
    @inlinable
    public func advanced(byMilliseconds milliseconds: Int64) -> Moment {
        Moment(
            wallMilliseconds: wallMilliseconds + milliseconds, bootMilliseconds: bootMilliseconds + milliseconds)
    }
}
