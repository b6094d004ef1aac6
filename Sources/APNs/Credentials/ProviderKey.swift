internal import CLinux
internal import COpenSSL
public import Codes

/// The private key of a provider: what Apple hands out as a .p8 file. Signs provider tokens with ES256.
///
/// Threads: any; OpenSSL never changes a key that is only signed with.
public final class ProviderKey: @unchecked Sendable {  // the EVP_PKEY is never changed after init
    /// Set when others than the owner may read the file; a warning, not a refusal.
    public let exposure: Fault?
    let pointer: OpaquePointer

    /// Reads an unencrypted P-256 key in PEM form. `place` names it in faults.
    /// Fails with `providerKeyNotPEM` or `providerKeyNotP256`.
    public convenience init(pem: [UInt8], place: String) throws(Fault) {
        try self.init(pem: pem, place: place, exposure: nil)
    }

    private init(pem: [UInt8], place: String, exposure: Fault?) throws(Fault) {
        guard let key = readPrivateKey(pem) else { throw Fault(.providerKeyNotPEM, at: place) }
        guard isP256(key) else {
            EVP_PKEY_free(key)
            throw Fault(.providerKeyNotP256, at: place)
        }
        pointer = key
        self.exposure = exposure
    }

    private init(generated: OpaquePointer) {
        pointer = generated
        exposure = nil
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Reads the key file at `path`.
    /// Fails with `providerKeyMissing`, `providerKeyNotPEM` or `providerKeyNotP256`; too open rights are only noted.
    public static func load(path: String) throws(Fault) -> ProviderKey {
        let (pem, mode) = try readKeyFile(path)
        let exposed = mode & 0o077 != 0
        let fault = exposed ? Fault(.providerKeyExposed, "mode \(String(mode & 0o777, radix: 8))", at: path) : nil
        return try ProviderKey(pem: pem, place: path, exposure: fault)
    }

    /// Makes a fresh key, for the simulator and the demo.
    public static func generate() throws(Fault) -> ProviderKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw Fault(.providerTokenNotSigned) }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw Fault(.providerTokenNotSigned, "no key could be generated") }
        return ProviderKey(generated: key)
    }

    /// The private key as Apple writes it: PKCS #8 in PEM. For `write` and tests; never log it.
    public func privatePEM() -> [UInt8] {
        pem { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public key in PEM, which the simulator checks signatures with.
    public func publicPEM() -> [UInt8] {
        pem { PEM_write_bio_PUBKEY($0, pointer) }
    }

    /// Writes the private key to a new file that only its owner may read. Fails with `providerKeyNotWritten`.
    public func write(to path: String) throws(Fault) {
        // A temporary file has mode 600 from its first moment, and link() refuses a path that exists.
        var temporary = Array((path + ".XXXXXX").utf8CString)
        let file = mkstemp(&temporary)
        guard file >= 0 else { throw notWritten(path) }
        defer {
            close(file)
            unlink(temporary)
        }
        let bytes = privatePEM()
        guard CLinux.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, link(temporary, path) == 0
        else { throw notWritten(path) }
    }
}

private func notWritten(_ path: String) -> Fault {
    Fault(.providerKeyNotWritten, String(cString: strerror(crl_errno())), at: path)
}

private func notRead(_ path: String) -> Fault {
    Fault(.providerKeyMissing, String(cString: strerror(crl_errno())), at: path)
}

/// Reads at most 64 KiB of `path` and its mode; a key file has about 250 bytes.
private func readKeyFile(_ path: String) throws(Fault) -> ([UInt8], mode_t) {
    guard let file = fopen(path, "re") else { throw notRead(path) }
    defer { fclose(file) }
    var status = stat()
    fstat(fileno(file), &status)
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw notRead(path) }
    return (Array(bytes[0..<count]), status.st_mode)
}

private func readPrivateKey(_ pem: [UInt8]) -> OpaquePointer? {
    guard let bio = BIO_new_mem_buf(pem, Int32(pem.count)) else { return nil }
    defer {
        BIO_free(bio)
        ERR_clear_error()
    }
    return PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil)
}

/// Without this OpenSSL would ask for a passphrase on the terminal.
private let refusePassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 =
        { _, _, _, _ in 0 }

private func isP256(_ key: OpaquePointer) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
    return String(decoding: name[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1"
}

private func pem(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
    guard let bio = BIO_new(BIO_s_mem()) else { return [] }
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    return count > 0 ? Array(bytes[0..<Int(count)]) : []
}
