internal import COpenSSL
public import Codes

/// Who a server is.
public struct TLSServerSettings: Sendable, Hashable {
    /// The certificate shown to clients, and its key.
    public var credentials: Credentials
    /// Ask for a client certificate in the handshake, as APNs does; any certificate and none are accepted
    /// (`ServerConnection.clientCertificate`).
    public var requestsClientCertificate: Bool
    /// Offer HTTP/2. Off only in tests of clients: the server then offers `http/1.1`.
    public var offersHTTP2: Bool
    /// Take clients that know beforehand that this is HTTP/2 and offer no protocol by ALPN, as APNs does (aioapns
    /// relies on it); what else they may speak fails at the connection preface.
    public var acceptsMissingALPN: Bool

    /// Serves with `credentials`.
    public init(
        credentials: Credentials, requestsClientCertificate: Bool = false, offersHTTP2: Bool = true,
        acceptsMissingALPN: Bool = false
    ) {
        self.credentials = credentials
        self.requestsClientCertificate = requestsClientCertificate
        self.offersHTTP2 = offersHTTP2
        self.acceptsMissingALPN = acceptsMissingALPN
    }
}

/// What all connections of a server share: TLS 1.2 or later and ALPN `h2`; clients that offer something else are
/// refused in the handshake.
///
/// Threads: may be shared by all loops.
public final class TLSServerContext: Sendable {
    nonisolated(unsafe) let context: OpaquePointer  // SSL_CTX is locked inside and not changed after init
    let acceptsMissingALPN: Bool

    /// Reads the files named in `settings`. Throws `tls-settings` naming the file that cannot be used.
    public init(_ settings: TLSServerSettings) throws(Fault) {
        let made = try makeContext(TLS_server_method())
        var complete = false
        defer { if !complete { SSL_CTX_free(made) } }
        try use(settings.credentials, in: made)
        if settings.requestsClientCertificate { SSL_CTX_set_verify(made, SSL_VERIFY_PEER, acceptAnyCertificate) }
        if settings.offersHTTP2 {
            SSL_CTX_set_alpn_select_cb(made, selectHTTP2, nil)
        } else {
            SSL_CTX_set_alpn_select_cb(made, selectHTTP1, nil)
        }
        SSL_CTX_set_session_id_context(made, Array("carillon".utf8), 8)
        acceptsMissingALPN = settings.acceptsMissingALPN
        context = made
        complete = true
    }

    deinit { SSL_CTX_free(context) }
}

/// APNs tells a client by an answer or a GOAWAY what is wrong with its certificate, so the handshake takes all.
private func acceptAnyCertificate(_ verified: Int32, _ store: OpaquePointer?) -> Int32 { 1 }

private func selectHTTP2(
    _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    select("h2", selected, length, offered, count)
}

private func selectHTTP1(
    _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    select("http/1.1", selected, length, offered, count)
}

/// Finds `wanted` in the client's list of length-prefixed names and points into that list, as OpenSSL wants it.
private func select(
    _ wanted: StaticString, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32
) -> Int32 {
    guard let selected, let length, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let names = UnsafeBufferPointer(start: offered, count: Int(count))
    let goal = UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
    var index = 0
    while index < names.count {
        let end = index + 1 + Int(names[index])
        guard end <= names.count else { break }
        if names[(index + 1)..<end].elementsEqual(goal) {
            selected.pointee = offered + index + 1
            length.pointee = names[index]
            return SSL_TLSEXT_ERR_OK
        }
        index = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
