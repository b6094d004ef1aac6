internal import COpenSSL
public import Codes
internal import Loops
internal import SimulatedAPNs

/// Signs provider tokens with a `.p8` key, for the command line and for clients of others (Docs/APNs.md 2.1).
///
/// Threads: one at a time.
public final class ProviderTokenSigner {
    private let key: OpaquePointer

    /// Reads a key. Throws `simulator-credentials` with the file.
    public init(file path: String) throws(Fault) {
        let pem = try readFile(path)
        let read = pem.withUnsafeBytes { bytes in
            let reader = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(reader) }
            return PEM_read_bio_PrivateKey(reader, nil, refusePassword, nil)
        }
        ERR_clear_error()
        guard let read else { throw Fault(.simulatorCredentials, "no private key in PEM form", at: path) }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    /// A provider token issued `ageSeconds` ago, negative for the future. Throws `simulator-credentials` for a key
    /// that is no P-256 key.
    public func token(keyID: String, teamID: String, ageSeconds: Int64 = 0) throws(Fault) -> String {
        let issued = Clock.wallMilliseconds() / 1000 - ageSeconds
        let header = Base64.encodeURLSafe(Array("{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}".utf8))
        let claims = Base64.encodeURLSafe(Array("{\"iss\":\"\(teamID)\",\"iat\":\(issued)}".utf8))
        let text = header + "." + claims
        return text + "." + Base64.encodeURLSafe(try signature(Array(text.utf8)))
    }

    /// R and S of 32 bytes each (RFC 7518 3.4).
    private func signature(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var count = 128
        var der = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &count, bytes, bytes.count) == 1
        else { throw Fault(.simulatorCredentials, "the key does not sign") }
        return try raw(der[..<count])
    }

    private func raw(_ der: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let read = der.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &place, buffer.count)
        }
        guard let read else { throw Fault(.simulatorCredentials, "the key is no P-256 key") }
        defer { ECDSA_SIG_free(read) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let isWhole = bytes.withUnsafeMutableBufferPointer { output in
            // 64 bytes, so the base address is there.
            let half = output.baseAddress.map { $0 + 32 }
            return BN_bn2binpad(ECDSA_SIG_get0_r(read), output.baseAddress, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(read), half, 32) == 32
        }
        guard isWhole else { throw Fault(.simulatorCredentials, "the key is no P-256 key") }
        return bytes
    }
}
