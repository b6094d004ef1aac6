internal import CLinux
internal import COpenSSL
internal import Codes

/// One non-blocking socket with TLS on it: connects, shakes hands, and moves plaintext in 16 KiB records.
///
/// Threads: one loop thread. The descriptor stays open until deinit, so that an owner can still take it out of its
/// poller.
final class TLSChannel {
    enum Phase { case connecting, handshaking, open, closed }

    let descriptor: Int32
    let place: String
    private(set) var phase: Phase
    /// Write readiness should be waited for: the socket was full, or the connection is being opened.
    private(set) var isBlocked: Bool
    /// Plaintext bytes staged since the start.
    private(set) var staged: UInt64 = 0
    /// Plaintext bytes that may have left the process: all that were encrypted when the kernel last took bytes.
    private(set) var handedOver: UInt64 = 0

    private let acceptsMissingALPN: Bool
    private let ssl: OpaquePointer
    private let output: UnsafeMutablePointer<OutputBuffer>
    private let staging: UnsafeMutablePointer<UInt8>
    private var stagedCount = 0
    private var encrypted: UInt64 = 0
    static let recordSize = 16_384

    /// Takes over `descriptor`. `serverName` is given by clients; the certificate must be for it.
    init(
        _ context: OpaquePointer, descriptor: Int32, place: String, serverName: String?, phase: Phase,
        acceptsMissingALPN: Bool = false
    ) throws(Fault) {
        self.descriptor = descriptor
        self.acceptsMissingALPN = acceptsMissingALPN
        self.place = place
        self.phase = phase
        isBlocked = phase == .connecting
        output = .allocate(capacity: 1)
        output.initialize(to: OutputBuffer())
        staging = .allocate(capacity: Self.recordSize)
        guard let made = SSL_new(context), let input = BIO_new_socket(descriptor, BIO_NOCLOSE),
            let sink = makeOutput(output)
        else { preconditionFailure("out of memory") }
        ssl = made
        SSL_set_bio(made, input, sink)
        if let serverName {
            SSL_set_connect_state(made)
            try expect(serverName)
        } else {
            SSL_set_accept_state(made)
        }
    }

    deinit {
        SSL_free(ssl)
        output.pointee.bytes.deallocate()
        output.deallocate()
        staging.deallocate()
        CLinux.close(descriptor)
    }

    /// Names and addresses are checked differently, and addresses are not sent as SNI (RFC 6066 3).
    private func expect(_ serverName: String) throws(Fault) {
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 { return }
        ERR_clear_error()
        guard SSL_set1_host(ssl, serverName) == 1, crl_ssl_set_server_name(ssl, serverName) == 1 else {
            throw Fault(.wrongServerName, "not a host name", at: serverName)
        }
    }

    // MARK: Opening

    /// Carries connect and handshake on as far as they go without blocking; true once open.
    func advance() throws(Fault) -> Bool {
        switch phase {
        case .open: return true
        case .closed: return false
        case .connecting:
            try finishConnect()
            phase = .handshaking
            return try shakeHands()
        case .handshaking:
            return try shakeHands()
        }
    }

    private func finishConnect() throws(Fault) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        if code != 0 { throw Fault(.connectFailed, systemError(code), at: place) }
    }

    private func shakeHands() throws(Fault) -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        let error = SSL_get_error(ssl, result)
        if result == 1 {
            phase = .open
            try send()
            try checkProtocol()
            return true
        }
        switch error {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            try send()
            return false
        case SSL_ERROR_SSL:
            let fault = handshakeFault(ssl, at: place)
            // The alert that tells the peer why is already in the buffer.
            try? send()
            throw fault
        default:
            let reason = crl_errno() == 0 ? "closed by the peer" : systemError()
            throw Fault(.tlsFailed, "during the handshake: \(reason)", at: place)
        }
    }

    private func checkProtocol() throws(Fault) {
        if acceptsMissingALPN, negotiatedProtocol.isEmpty { return }
        guard negotiatedProtocol == "h2" else {
            throw Fault(.noHTTP2, negotiatedProtocol.isEmpty ? "no ALPN answer" : negotiatedProtocol, at: place)
        }
    }

    var negotiatedProtocol: String {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The peer's certificate in DER, empty when it showed none.
    var peerCertificate: [UInt8] {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return [] }
        defer { X509_free(certificate) }
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &output)
        guard count > 0, let output else { return [] }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }

    var info: ConnectionInfo {
        ConnectionInfo(
            tlsVersion: String(cString: SSL_get_version(ssl)),
            cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))),
            applicationProtocol: negotiatedProtocol)
    }

    // MARK: Reading

    enum Read { case bytes(Int), nothing, end }

    /// Reads what is there into `buffer`, at most one TLS record.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Fault) -> Read {
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        if count > 0 { return .bytes(Int(count)) }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_SYSCALL: throw Fault(.connectionLost, systemError(), at: place)
        default: throw readFault()
        }
    }

    /// TLS 1.3 servers refuse a client certificate only after the client's handshake is done, hence here.
    private func readFault() -> Fault {
        if Int32(truncatingIfNeeded: ERR_peek_error() & 0x7f_ffff) == SSL_R_UNEXPECTED_EOF_WHILE_READING {
            ERR_clear_error()
            return Fault(.connectionLost, "closed by the peer without notice", at: place)
        }
        let fault = handshakeFault(ssl, at: place)
        return fault.code == .tlsFailed ? Fault(.connectionLost, fault.detail, at: place) : fault
    }

    // MARK: Writing

    /// Whether one more HTTP/2 frame surely fits.
    var hasRoom: Bool { output.pointee.room >= 2 * OutputBuffer.record }

    /// Adds plaintext; full records are encrypted. Call only while `hasRoom`, with at most one frame.
    func stage(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(Fault) {
        var rest = count
        var from = bytes
        while rest > 0 {
            let taken = min(rest, Self.recordSize - stagedCount)
            (staging + stagedCount).update(from: from, count: taken)
            stagedCount += taken
            staged += UInt64(taken)
            from += taken
            rest -= taken
            if stagedCount == Self.recordSize { try encrypt() }
        }
    }

    private func encrypt() throws(Fault) {
        guard stagedCount > 0, output.pointee.room >= OutputBuffer.record else { return }
        ERR_clear_error()
        let written = SSL_write(ssl, staging, Int32(stagedCount))
        guard written == stagedCount else {
            throw Fault(.connectionLost, "writing: \(tlsErrorText())", at: place)
        }
        encrypted += UInt64(stagedCount)
        stagedCount = 0
    }

    /// Encrypts what is staged and hands as much as possible to the kernel.
    func flush() throws(Fault) {
        try encrypt()
        try send()
    }

    /// Hands encrypted bytes to the kernel until it takes no more.
    func send() throws(Fault) {
        isBlocked = phase == .connecting
        while output.pointee.count > 0 {
            let start = output.pointee.bytes + output.pointee.start
            let sent = CLinux.send(descriptor, start, output.pointee.count, Int32(MSG_NOSIGNAL))
            if sent > 0 {
                output.pointee.consume(sent)
                handedOver = encrypted
            } else if crl_errno() == EAGAIN {
                isBlocked = true
                return
            } else if crl_errno() != EINTR {
                throw Fault(.connectionLost, systemError(), at: place)
            }
        }
    }

    /// Ends both directions; what was not handed to the kernel stays here.
    func abandon() {
        guard phase != .closed else { return }
        ERR_clear_error()
        phase = .closed
        isBlocked = false
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Says goodbye as far as the socket takes it, and ends both directions.
    func close() {
        guard phase != .closed else { return }
        if phase == .open {
            ERR_clear_error()
            try? flush()
            SSL_shutdown(ssl)
            try? send()
        }
        ERR_clear_error()
        phase = .closed
        isBlocked = false
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// What was agreed in the handshake.
public struct ConnectionInfo: Sendable, Hashable {
    /// For example `TLSv1.3`.
    public let tlsVersion: String
    /// OpenSSL's name of the cipher suite.
    public let cipher: String
    /// The ALPN result, `h2`; empty where a server takes clients without ALPN.
    public let applicationProtocol: String
}
