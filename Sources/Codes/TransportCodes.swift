extension Code {
    /// A host name could not be turned into addresses.
    public static let resolveFailed = Code(
        "CRL-H100", "resolve-failed", "The host name could not be resolved.",
        "Check the name and the resolver of this machine.", retryable: true, exit: .unavailable)
    /// No TCP connection.
    public static let connectFailed = Code(
        "CRL-H101", "connect-failed", "The TCP connection could not be opened.",
        "Check that the host answers on this port and that no firewall is in the way.", retryable: true,
        exit: .unavailable)
    /// The TLS handshake failed for a reason without a code of its own.
    public static let tlsFailed = Code(
        "CRL-H102", "tls-failed", "The TLS handshake failed.",
        "See the particulars; both ends need TLS 1.2 or later.", retryable: true, exit: .unavailable)
    /// The server's certificate does not chain to a trusted authority.
    public static let unknownAuthority = Code(
        "CRL-H103", "unknown-authority", "The server's certificate was not issued by a trusted authority.",
        "Name the right CA file, or install the authority's root certificate.", exit: .unavailable)
    /// The server's certificate is for another name.
    public static let wrongServerName = Code(
        "CRL-H104", "wrong-server-name", "The server's certificate is for another name.",
        "Correct the host name; do not switch the check off.", exit: .unavailable)
    /// The server's certificate is outside its validity.
    public static let serverCertificateExpired = Code(
        "CRL-H105", "server-certificate-expired", "The server's certificate has expired or is not valid yet.",
        "Check the clock of this machine, then the server's certificate.", exit: .unavailable)
    /// The server's certificate was refused for another reason.
    public static let serverCertificateRefused = Code(
        "CRL-H106", "server-certificate-refused", "The server's certificate was refused.",
        "See the particulars.", exit: .unavailable)
    /// ALPN did not end in h2.
    public static let noHTTP2 = Code(
        "CRL-H107", "no-http2", "The peer does not offer HTTP/2 (ALPN h2).",
        "Check host and port; a proxy that ends TLS may be in the way.", exit: .unavailable)
    /// The peer closed or reset the connection.
    public static let connectionLost = Code(
        "CRL-H108", "connection-lost", "The connection was lost.", "Nothing to do: it is opened again.",
        retryable: true, exit: .unavailable)
    /// The peer broke the HTTP/2 rules.
    public static let protocolViolation = Code(
        "CRL-H109", "protocol-violation", "The peer broke the rules of HTTP/2.",
        "Check host and port; the particulars name the rule.", retryable: true, exit: .unavailable)
    /// A certificate, key or CA file cannot be used.
    public static let tlsSettings = Code(
        "CRL-H110", "tls-settings", "A certificate, key or CA file cannot be used.",
        "Check that the file exists, is PEM, and that key and certificate belong together.", exit: .config)
    /// A port cannot be listened on.
    public static let listenFailed = Code(
        "CRL-H111", "listen-failed", "The port cannot be listened on.",
        "Choose a free port, or stop the process that holds it.", exit: .unavailable)
    /// The peer refused our certificate, or wants one.
    public static let clientCertificateRefused = Code(
        "CRL-H112", "client-certificate-refused", "The peer refused our client certificate or demands one.",
        "Renew the certificate, or use a key for provider tokens instead.", exit: .permission)
    /// A certificate could not be made.
    public static let issueFailed = Code(
        "CRL-H113", "issue-failed", "A certificate could not be made.", "See the particulars.", exit: .internalError)

    /// Area H: what HTTP/2 and TLS may say.
    static let transportCodes: [Code] = [
        resolveFailed, connectFailed, tlsFailed, unknownAuthority, wrongServerName, serverCertificateExpired,
        serverCertificateRefused, noHTTP2, connectionLost, protocolViolation, tlsSettings, listenFailed,
        clientCertificateRefused, issueFailed,
    ]
}
