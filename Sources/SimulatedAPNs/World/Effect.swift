/// What the shell has to do on the wire.
public enum Effect: Hashable, Sendable {
    /// Answer a request.
    case answer(RequestID, Answer)
    /// Tell the connection how many streams it may have open from now on (SETTINGS_MAX_CONCURRENT_STREAMS).
    case setMaxConcurrentStreams(connection: UInt64, Int)
    /// Send GOAWAY, answer what was carried out, then close.
    case goAway(connection: UInt64, lastStream: Int32, debugData: String)
}
