/// Bounds, windows and limits of one server connection.
public struct ServerOptions: Sendable, Hashable {
    /// The first MAX_CONCURRENT_STREAMS; `setMaxConcurrentStreams` changes it later. 0 is possible.
    public var maxConcurrentStreams = 1_000
    /// Most streams in memory at once whatever is announced; more are refused (REFUSED_STREAM).
    public var maxOpenStreams = 10_000
    /// Largest request body kept, in bytes; the rest is read, dropped and reported as `bodyTooLarge`.
    public var maxBodyBytes = 64 << 10
    /// Largest sum of request header names and values, in bytes; more resets the stream and counts in `refusedStreams`.
    public var maxHeaderBytes = 16 << 10
    /// Receive window of each stream, in bytes.
    public var streamWindow = 65_535
    /// Receive window of the connection, in bytes; 65,535 is what the protocol starts with.
    public var connectionWindow = 16 << 20
    /// How many resets by the client are taken in a burst, and per second; beyond that the connection is closed with
    /// ENHANCE_YOUR_CALM (CVE-2023-44487). Some APNs clients reset a lot.
    public var resetBurst = 100_000
    /// See `resetBurst`.
    public var resetsPerSecond = 10_000

    /// The defaults above.
    public init() {}
}
