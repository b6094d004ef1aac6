/// Bounds and windows of one client connection.
public struct ClientOptions: Sendable, Hashable {
    /// Streams assumed to be allowed until the peer's SETTINGS say more.
    public var initialStreams = 1
    /// Most streams open at once however many the peer allows, 1 to 100,000; also bounds memory.
    public var maxOpenStreams = 1_000
    /// Largest response body, in bytes; a longer one ends as `responseTooLarge`.
    public var maxResponseBytes = 1 << 20
    /// Largest sum of response header names and values, in bytes; more ends as `responseTooLarge`.
    public var maxHeaderBytes = 16 << 10
    /// Receive window of each stream, in bytes.
    public var streamWindow = 1 << 20
    /// Receive window of the connection, in bytes.
    public var connectionWindow = 16 << 20
    /// No stream gets a higher identifier; then the connection must be replaced (RFC 9113 5.1.1).
    public var maxStreamID: Int32 = .max

    /// The defaults above.
    public init() {}
}
