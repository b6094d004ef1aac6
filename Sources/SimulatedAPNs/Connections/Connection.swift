/// What APNs remembers of one connection (Docs/APNs.md 1.3, 1.4, 2.1, 2.2).
struct Connection: Sendable {
    let listener: ListenerKind
    /// Shown in the handshake; then provider tokens are not looked at.
    let certificate: ClientCertificate?
    /// Serial of the provider token in use.
    var tokenSerial: UInt64?
    var tokenSinceMilliseconds: Int64 = 0
    /// Key of the first accepted request: other keys must be related to it.
    var firstKey: ProviderKey?
    /// Streams the client may have open.
    var streams: Int
    var requests = 0
    /// Errors brought about, less the faultless requests since.
    var errors = 0
    var lastRequestMilliseconds: Int64
    var phase = Phase.open

    enum Phase: Sendable, Equatable {
        case open
        /// GOAWAY is decided: `lastStream` was the last one carried out, `remaining` more come in before it is sent.
        case refusing(lastStream: Int32, remaining: Int)
        /// GOAWAY is sent; nothing more is carried out.
        case leaving
    }

    init(listener: ListenerKind, certificate: ClientCertificate?, streams: Int, nowMilliseconds: Int64) {
        self.listener = listener
        self.certificate = certificate
        self.streams = streams
        lastRequestMilliseconds = nowMilliseconds
    }
}
