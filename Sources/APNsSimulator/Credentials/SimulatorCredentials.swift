internal import COpenSSL
public import Codes
public import HTTP2
public import SimulatedAPNs

/// The files that make a simulator trusted and its clients believed. They are made when they are missing.
public struct SimulatorCredentials: Sendable, Hashable {
    /// Directory of the files, mode 0700 when it is made here.
    public let directory: String
    /// ID of the provider key.
    public let keyID: String

    /// Names the files of a directory.
    public init(directory: String, keyID: String) {
        self.directory = directory
        self.keyID = keyID
    }

    /// The CA certificate that clients have to trust.
    public var authorityPath: String { directory + "/ca.pem" }
    /// The CA's key, by which client certificates are issued; secret.
    public var authorityKeyPath: String { directory + "/ca-key.pem" }
    /// The server's certificate.
    public var certificatePath: String { directory + "/server.pem" }
    /// The server's key; secret.
    public var certificateKeyPath: String { directory + "/server-key.pem" }
    /// The provider's signing key in Apple's form; secret.
    public var providerKeyPath: String { providerKeyPath(of: keyID) }

    /// The signing key of this ID; secret.
    public func providerKeyPath(of keyID: String) -> String { directory + "/AuthKey_\(keyID).p8" }

    /// Makes what is missing. Throws `simulator-credentials`, or `issue-failed`.
    public func prepare(serverNames: [String]) throws(Fault) {
        try makePrivateDirectory(directory)
        let server = [authorityPath, authorityKeyPath, certificatePath, certificateKeyPath]
        if !server.allSatisfy(fileExists) {
            let authority = try CertificateAuthority(commonName: "Carillon APNs simulator")
            let issued = try authority.issue(names: serverNames)
            try writeFile(authorityPath, authority.certificatePEM, mode: 0o644)
            try writeFile(authorityKeyPath, try authority.keyPEM(), mode: 0o600)
            try writeFile(certificatePath, issued.certificatePEM, mode: 0o644)
            try writeFile(certificateKeyPath, issued.keyPEM, mode: 0o600)
        }
        if !fileExists(providerKeyPath) {
            try writeFile(providerKeyPath, try Self.makeProviderKey(), mode: 0o600)
        }
    }

    /// A client certificate with the marks of Apple's own: what it may send to and where (Docs/APNs.md 2.3).
    ///
    /// Valid from `startsInDays` for `lifetimeDays` days. Throws `simulator-credentials` when there is no authority yet, or
    /// `issue-failed`.
    public func issueClientCertificate(
        bundleID: String, topics: [String], environments: [Environment], lifetimeDays: Int = 365,
        startsInDays: Int = -1
    ) throws(Fault) -> IssuedCredentials {
        let authority = try CertificateAuthority(
            certificatePEM: readFile(authorityPath), keyPEM: readFile(authorityKeyPath))
        return try authority.issue(
            names: [bundleID], lifetimeDays: lifetimeDays, startsInDays: startsInDays,
            extensions: CertificateMarks.extensions(topics: topics, environments: environments))
    }

    /// A client certificate for an app's own topic and that of its Live Activities, with its key behind it, as `curl --cert` takes it;
    /// secret. Throws as `issueClientCertificate` does.
    public func clientCertificatePEM(for app: SimulatedApp, in environment: Environment) throws(Fault) -> [UInt8] {
        let issued = try issueClientCertificate(
            bundleID: app.bundleID, topics: [app.bundleID, app.liveActivityTopic], environments: [environment])
        return issued.certificatePEM + issued.keyPEM
    }

    /// Certificate and key for the server.
    var server: Credentials {
        Credentials(certificate: .file(certificatePath), key: .file(certificateKeyPath))
    }

    /// A fresh ES256 key in the form of a `.p8` file.
    public static func makeProviderKey() throws(Fault) -> [UInt8] {
        guard let key = crl_generate_p256_key() else { throw Fault(.simulatorCredentials, "no key could be made") }
        defer { EVP_PKEY_free(key) }
        return try written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    /// The public half of a `.p8` file's key.
    public static func publicKeyPEM(ofPrivate pem: [UInt8]) throws(Fault) -> [UInt8] {
        let key = pem.withUnsafeBytes { bytes in
            let reader = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(reader) }
            return PEM_read_bio_PrivateKey(reader, nil, refusePassword, nil)
        }
        ERR_clear_error()
        guard let key else { throw Fault(.simulatorCredentials, "no private key in PEM form") }
        defer { EVP_PKEY_free(key) }
        return try written { PEM_write_bio_PUBKEY($0, key) }
    }

    private static func written(_ write: (OpaquePointer?) -> Int32) throws(Fault) -> [UInt8] {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { throw Fault(.simulatorCredentials, "a key could not be written") }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = crl_bio_memory(memory, &bytes)
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// Without it OpenSSL would ask on the terminal.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }
