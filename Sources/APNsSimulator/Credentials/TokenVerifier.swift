internal import COpenSSL
internal import Codes
internal import SimulatedAPNs

/// Judges provider tokens: takes them apart, checks their ES256 signatures, and remembers the verdicts by SHA-256 of
/// the token, so that looking one up tells nothing about others.
///
/// Threads: the loop thread only.
struct TokenVerifier: ~Copyable {
    private static let remembered = 4096
    private var keys: [String: OpaquePointer] = [:]
    private var verdicts: [[UInt8]: Credential] = [:]
    private var serial: UInt64 = 0

    /// Takes the public keys. Throws `simulator-credentials` for one that cannot be read.
    init(_ keys: [SimulatorKey]) throws(Fault) {
        for key in keys { try add(key) }
    }

    /// Takes one more public key, or another one for the same ID. Throws as `init` does.
    mutating func add(_ key: SimulatorKey) throws(Fault) {
        guard let read = Self.readPublicKey(key.publicKeyPEM) else {
            throw Fault(.simulatorCredentials, "no public key in PEM form", at: key.key.id)
        }
        if let former = keys.updateValue(read, forKey: key.key.id) { EVP_PKEY_free(former) }
        verdicts.removeAll(keepingCapacity: true)
    }

    deinit {
        for key in keys.values { EVP_PKEY_free(key) }
    }

    private static func readPublicKey(_ pem: [UInt8]) -> OpaquePointer? {
        pem.withUnsafeBytes { bytes in
            let reader = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(reader) }
            return PEM_read_bio_PUBKEY(reader, nil, refusePassword, nil)
        }
    }

    /// What an `authorization` field is worth.
    mutating func judge(_ authorization: String) -> Credential {
        var digest = [UInt8](repeating: 0, count: 32)
        var authorization = authorization
        authorization.withUTF8 { bytes in
            _ = EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil)
        }
        if let known = verdicts[digest] { return known }
        guard let text = ProviderTokenText(authorization: authorization) else { return .malformed }
        serial += 1
        let credential = Credential.token(
            ProviderToken(
                serial: serial, keyID: text.keyID, teamID: text.teamID, issuedAtSeconds: text.issuedAtSeconds,
                verdict: verdict(text)))
        // All at once: an attacker's tokens must not outlive the good ones by being many.
        if verdicts.count >= Self.remembered { verdicts.removeAll(keepingCapacity: true) }
        verdicts[digest] = credential
        return credential
    }

    private func verdict(_ text: ProviderTokenText) -> TokenVerdict {
        guard let key = keys[text.keyID] else { return .unknownKey }
        guard let signature = Self.derSignature(text.signature) else { return .bad }
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return .bad }
        let holds = EVP_DigestVerify(
            context, signature, signature.count, text.signedBytes, text.signedBytes.count)
        return holds == 1 ? .good : .bad
    }

    /// A raw R‖S signature as DER; anything else is taken for DER already (Docs/APNs.md 2.1).
    private static func derSignature(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 64 else { return bytes }
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let numbers = bytes.withUnsafeBufferPointer { buffer in
            (BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress! + 32, 32, nil))
        }
        guard ECDSA_SIG_set0(signature, numbers.0, numbers.1) == 1 else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &output)
        guard count > 0, let output else { return nil }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }
}
