import CLinux
import COpenSSL
import Codes
import Loops

/// Signs provider tokens, good ones and others.
final class TestSigner {
    private let key: OpaquePointer

    init(pemFile path: String) throws {
        guard let reader = BIO_new_file(path, "r") else { throw Fault(.simulatorCredentials, at: path) }
        defer { BIO_free(reader) }
        guard let key = PEM_read_bio_PrivateKey(reader, nil, nil, nil) else {
            throw Fault(.simulatorCredentials, at: path)
        }
        self.key = key
    }

    /// A signer with a key that nobody knows.
    init() {
        guard let key = crl_generate_p256_key() else { preconditionFailure("out of memory") }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    func token(
        keyID: String, teamID: String, secondsAgo: Int64 = 0, algorithm: String = "ES256", asDER: Bool = false
    ) throws -> String {
        let issued = Clock.wallMilliseconds() / 1000 - secondsAgo
        let header = Self.encode(Array("{\"alg\":\"\(algorithm)\",\"kid\":\"\(keyID)\"}".utf8))
        let claims = Self.encode(Array("{\"iss\":\"\(teamID)\",\"iat\":\(issued)}".utf8))
        let text = header + "." + claims
        let der = try sign(Array(text.utf8))
        return text + "." + Self.encode(asDER ? der : try raw(der))
    }

    private func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 128
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
        else { throw Fault(.simulatorCredentials, "sign") }
        return Array(signature[..<count])
    }

    private func raw(_ der: [UInt8]) throws -> [UInt8] {
        var place: UnsafePointer<UInt8>?
        return try der.withUnsafeBufferPointer { buffer in
            place = buffer.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &place, der.count) else {
                throw Fault(.simulatorCredentials, "DER")
            }
            defer { ECDSA_SIG_free(signature) }
            var bytes = [UInt8](repeating: 0, count: 64)
            bytes.withUnsafeMutableBufferPointer { output in
                _ = BN_bn2binpad(ECDSA_SIG_get0_r(signature), output.baseAddress, 32)
                _ = BN_bn2binpad(ECDSA_SIG_get0_s(signature), output.baseAddress! + 32, 32)
            }
            return bytes
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(word >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(word << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
