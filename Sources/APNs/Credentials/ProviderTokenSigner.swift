internal import COpenSSL
internal import Codes

/// Writes provider tokens: JSON Web Tokens signed with ES256 (Docs/APNs.md 2.1).
struct ProviderTokenSigner: Sendable {
    let key: ProviderKey
    let keyID: String
    let teamID: String

    /// The whole token for `issuedAtSeconds` since 1970: header, claims and raw R‖S, each in base64url.
    func sign(issuedAtSeconds: Int64) throws(Fault) -> [UInt8] {
        var token: [UInt8] = []
        token.reserveCapacity(192)
        Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8), into: &token)
        token.append(UInt8(ascii: "."))
        Base64URL.encode(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAtSeconds)}"#.utf8), into: &token)
        let signature = try rawSignature(of: token)
        token.append(UInt8(ascii: "."))
        Base64URL.encode(signature, into: &token)
        return token
    }

    /// 64 bytes, R then S, each 32 bytes with leading zeros (RFC 7518 3.4).
    private func rawSignature(of message: [UInt8]) throws(Fault) -> [UInt8] {
        let der = try derSignature(of: message)
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &cursor, bytes.count)
        }
        guard let parsed else { throw Fault(.providerTokenNotSigned) }
        defer { ECDSA_SIG_free(parsed) }
        var raw = [UInt8](repeating: 0, count: 64)
        let complete = raw.withUnsafeMutableBufferPointer { bytes -> Bool in
            guard let base = bytes.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(parsed), base, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), base + 32, 32) == 32
        }
        guard complete else { throw Fault(.providerTokenNotSigned) }
        return raw
    }

    private func derSignature(of message: [UInt8]) throws(Fault) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Fault(.providerTokenNotSigned) }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 80)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw Fault(.providerTokenNotSigned) }
        return Array(signature[0..<length])
    }
}
