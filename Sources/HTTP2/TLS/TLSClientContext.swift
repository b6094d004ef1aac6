internal import COpenSSL
public import Codes

/// Whom a client trusts and who it is.
public struct TLSClientSettings: Sendable, Hashable {
    /// Trusted roots instead of the system's.
    public var authorities: PEM?
    /// A certificate to show if the server asks for one.
    public var credentials: Credentials?
    /// A file that receives the session secrets in the format of SSLKEYLOGFILE. Tests only: whoever reads it reads
    /// everything.
    public var keyLogFile: String?

    /// System roots unless `authorities` is given; no client certificate unless `credentials` is given.
    public init(authorities: PEM? = nil, credentials: Credentials? = nil, keyLogFile: String? = nil) {
        self.authorities = authorities
        self.credentials = credentials
        self.keyLogFile = keyLogFile
    }
}

/// What all connections of a client share: TLS 1.2 or later, ALPN `h2`, chain and server name always verified.
///
/// Threads: may be shared by all loops.
public final class TLSClientContext: Sendable {
    nonisolated(unsafe) let context: OpaquePointer  // SSL_CTX is locked inside and not changed after init
    private let keyLog: KeyLog?

    /// Reads the files named in `settings`. Throws `tls-settings` naming the file that cannot be used.
    public init(_ settings: TLSClientSettings) throws(Fault) {
        let made = try makeContext(TLS_client_method())
        var complete = false
        defer { if !complete { SSL_CTX_free(made) } }
        SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nil)
        if let authorities = settings.authorities {
            try trust(authorities, in: made)
        } else if SSL_CTX_set_default_verify_paths(made) != 1 {
            throw Fault(.tlsSettings, "the system's root certificates: \(tlsErrorText())")
        }
        if let credentials = settings.credentials { try use(credentials, in: made) }
        var log: KeyLog?
        if let path = settings.keyLogFile {
            let opened = try KeyLog(path)
            opened.attach(to: made)
            log = opened
        }
        SSL_CTX_set_alpn_protos(made, [2, UInt8(ascii: "h"), UInt8(ascii: "2")], 3)
        keyLog = log
        context = made
        complete = true
    }

    deinit { SSL_CTX_free(context) }
}

/// A context with what both ends have in common.
func makeContext(_ method: OpaquePointer?) throws(Fault) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(method), crl_ssl_ctx_require_tls12(context) == 1 else {
        throw Fault(.tlsSettings, tlsErrorText())
    }
    crl_ssl_ctx_set_modes(context)
    crl_ssl_ctx_set_read_ahead(context)
    return context
}
