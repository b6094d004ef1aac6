/// What the shell has to do on the wire.
public enum Effect: Hashable, Sendable {
    /// Answer a request.
    case answer(RequestID, Answer)
    /// Reset a request with REFUSED_STREAM.
    case refuse(RequestID)
    /// Tell the connection how many streams it may have open from now on (SETTINGS_MAX_CONCURRENT_STREAMS).
    case setMaxConcurrentStreams(connection: UInt64, Int)
    /// Close the connection at once, without GOAWAY.
    case cut(connection: UInt64)
    /// Send GOAWAY, answer what was carried out, then close.
    case goAway(connection: UInt64, lastStream: Int32, debugData: String)
}
