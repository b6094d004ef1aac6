internal import CLinux
internal import COpenSSL
public import Codes

/// A certificate and its private key in PEM form.
public struct IssuedCredentials: Sendable, Hashable {
    /// The certificate.
    public let certificatePEM: [UInt8]
    /// The private key; whoever has it can pose as the server.
    public let keyPEM: [UInt8]

    /// The same for a context.
    public var credentials: Credentials {
        Credentials(certificate: .bytes(certificatePEM), key: .bytes(keyPEM))
    }
}

/// An extension of a certificate that OpenSSL knows nothing of, not critical.
public struct CertificateExtension: Sendable, Hashable {
    /// Object identifier in dots.
    public let identifier: String
    /// The extension's value in DER.
    public let value: [UInt8]

    /// Joins identifier and value.
    public init(identifier: String, value: [UInt8]) {
        self.identifier = identifier
        self.value = value
    }
}

/// A certificate authority of our own for simulator, demo and tests: EC P-256, fresh keys, nothing written to disk.
/// It can be taken up again from what `certificatePEM` and `keyPEM` gave.
///
/// Threads: any one at a time.
public final class CertificateAuthority {
    /// Trust this to trust everything issued here.
    public let certificatePEM: [UInt8]
    private let certificate: OpaquePointer
    private let key: OpaquePointer

    /// Makes a new authority, valid from yesterday for `lifetimeDays` days. Throws `issue-failed`.
    public init(commonName: String = "Carillon local authority", lifetimeDays: Int = 365) throws(Fault) {
        let made = try makeKey()
        let draft = CertificateDraft(
            commonName: commonName, alternativeNames: [], isAuthority: true, startsInDays: -1,
            lifetimeDays: lifetimeDays)
        do throws(Fault) {
            let own = try draft.sign(for: made, issuer: nil, issuerKey: made)
            certificatePEM = try pem { PEM_write_bio_X509($0, own) }
            certificate = own
        } catch {
            EVP_PKEY_free(made)
            throw error
        }
        key = made
    }

    /// The authority that `certificatePEM` and `keyPEM` were taken from. Throws `issue-failed`.
    public init(certificatePEM: [UInt8], keyPEM: [UInt8]) throws(Fault) {
        ERR_clear_error()
        let own = read(certificatePEM) { PEM_read_bio_X509($0, nil, refusePassword, nil) }
        let secret = read(keyPEM) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        guard let own, let secret else {
            X509_free(own)
            EVP_PKEY_free(secret)
            throw Fault(.issueFailed, "no certificate or no key: \(tlsErrorText())")
        }
        self.certificatePEM = certificatePEM
        certificate = own
        key = secret
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The authority's own private key; only for those who must issue more certificates later.
    public func keyPEM() throws(Fault) -> [UInt8] { try privateKeyPEM(key) }

    /// A server certificate with a fresh key for `names` (DNS names and IP addresses), the first of which is the common
    /// name.
    ///
    /// Valid from `startsInDays` (usually yesterday) for `lifetimeDays` days, with `extensions` besides the usual ones.
    /// Throws `issue-failed`, also for an empty list or a name that is neither a host name nor an address.
    public func issue(
        names: [String], lifetimeDays: Int = 365, startsInDays: Int = -1,
        extensions: [CertificateExtension] = []
    ) throws(Fault) -> IssuedCredentials {
        guard let first = names.first else { throw Fault(.issueFailed, "no name given") }
        for name in names where !isPlainName(name) { throw Fault(.issueFailed, "not a host name: \(name)") }
        let fresh = try makeKey()
        defer { EVP_PKEY_free(fresh) }
        let draft = CertificateDraft(
            commonName: first, alternativeNames: names, isAuthority: false, startsInDays: startsInDays,
            lifetimeDays: lifetimeDays, furtherExtensions: extensions)
        let issued = try draft.sign(for: fresh, issuer: certificate, issuerKey: key)
        defer { X509_free(issued) }
        return IssuedCredentials(
            certificatePEM: try pem { PEM_write_bio_X509($0, issued) }, keyPEM: try privateKeyPEM(fresh))
    }
}

private func isPlainName(_ name: String) -> Bool {
    !name.isEmpty
        && name.utf8.allSatisfy { byte in
            (byte >= 48 && byte <= 58) || (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte == 45
                || byte == 46 || byte == 42
        }
}

private func makeKey() throws(Fault) -> OpaquePointer {
    ERR_clear_error()
    guard let key = crl_generate_p256_key() else { throw Fault(.issueFailed, tlsErrorText()) }
    return key
}

private func privateKeyPEM(_ key: OpaquePointer) throws(Fault) -> [UInt8] {
    try pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
}

private func read<Result>(_ text: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    text.withUnsafeBytes { bytes in
        let reader = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
        defer { BIO_free(reader) }
        return body(reader)
    }
}

private func pem(_ write: (OpaquePointer?) -> Int32) throws(Fault) -> [UInt8] {
    let memory = BIO_new(BIO_s_mem())
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { throw Fault(.issueFailed, tlsErrorText()) }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = crl_bio_memory(memory, &bytes)
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
}
