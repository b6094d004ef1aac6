import CLinux
import COpenSSL
import Codes
import Testing

@testable import APNs

@Suite struct ProviderKeyTests {
    private let directory = TemporaryDirectory()

    private func fault(_ path: String) -> Fault? {
        do throws(Fault) {
            _ = try ProviderKey.load(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test func roundTripsThroughAFileOfMode600() throws {
        let key = try ProviderKey.generate()
        let path = directory.path(of: "AuthKey.p8")
        try key.write(to: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let loaded = try ProviderKey.load(path: path)
        #expect(loaded.exposure == nil)
        #expect(loaded.publicPEM() == key.publicPEM())
        #expect(key.privatePEM().starts(with: "-----BEGIN PRIVATE KEY-----\n".utf8))
        #expect(key.publicPEM().starts(with: "-----BEGIN PUBLIC KEY-----\n".utf8))
    }

    @Test func neverOverwritesAKey() throws {
        let path = directory.file("there.p8", "x".utf8)
        let key = try ProviderKey.generate()
        #expect(throws: Fault.self) { try key.write(to: path) }
        #expect(throws: Fault.self) { try key.write(to: directory.path + "/none/there.p8") }
    }

    @Test func saysWhatIsWrongWithAFile() throws {
        #expect(fault(directory.path + "/absent.p8")?.code == .providerKeyMissing)
        #expect(fault(directory.path)?.code == .providerKeyMissing)
        #expect(fault(directory.file("text.p8", "not a key".utf8))?.code == .providerKeyNotPEM)
        #expect(fault(directory.file("empty.p8", "".utf8))?.code == .providerKeyNotPEM)
        let key = try ProviderKey.generate()
        #expect(fault(directory.file("public.p8", key.publicPEM()))?.code == .providerKeyNotPEM)
        #expect(fault(directory.file("cut.p8", key.privatePEM().dropLast(60)))?.code == .providerKeyNotPEM)
        let found = fault(directory.file("p384.p8", otherCurvePEM.utf8))
        #expect(found?.code == .providerKeyNotP256)
        #expect(found?.place.hasSuffix("p384.p8") == true)
    }

    @Test func warnsAboutOpenRights() throws {
        let path = directory.file("open.p8", try ProviderKey.generate().privatePEM(), mode: 0o644)
        #expect(try ProviderKey.load(path: path).exposure?.code == .providerKeyExposed)
    }
}

/// A P-384 key made for this test and used nowhere.
private let otherCurvePEM = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCQa5xmGWKHJpnHWHTY
    DejawNatoaI9L0mThAHzphexzlEP+RpcMVPM6FLostq35xShZANiAARW7XzQDumf
    Bt2ylDenKbeymFINVVAKM1N2LLpmlN7KRFbDes0ZUnB+tpAuAHkFHq7aYZnFNWRA
    GfWFW1Cd+ImYNqiGBDRcN16CdQIGD/JkWPRN/yDqXxvgJiNopiJe5Y4=
    -----END PRIVATE KEY-----
    """

@Suite struct ProviderTokenTests {
    @Test func tokenIsWhatAppleAsksFor() throws {
        let key = try ProviderKey.generate()
        let signer = ProviderTokenSigner(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        // R or S begins with a zero byte about once in 128 signatures: the padding must hold.
        for round in Int64(0)..<400 {
            let token = try signer.sign(issuedAtSeconds: 1_790_000_000 + round)
            let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            #expect(text(decode(parts[0])) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
            #expect(text(decode(parts[1])) == #"{"iss":"DEF123GHIJ","iat":\#(1_790_000_000 + round)}"#)
            let signature = decode(parts[2])
            #expect(signature.count == 64)
            let message = Array(token.prefix(parts[0].count + 1 + parts[1].count))
            #expect(verify(key.publicPEM(), message, signature))
        }
    }

    @Test func changedMessageDoesNotVerify() throws {
        let key = try ProviderKey.generate()
        let token = try ProviderTokenSigner(key: key, keyID: "K", teamID: "T").sign(issuedAtSeconds: 1)
        let parts = token.split(separator: UInt8(ascii: "."))
        var message = Array(token.prefix(parts[0].count + 1 + parts[1].count))
        #expect(verify(key.publicPEM(), message, decode(parts[2])))
        message[3] ^= 1
        #expect(!verify(key.publicPEM(), message, decode(parts[2])))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func decode(_ text: some Collection<UInt8>) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return [] }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    /// Checks a raw signature the way a server does, with OpenSSL alone.
    private func verify(_ publicPEM: [UInt8], _ message: [UInt8], _ raw: [UInt8]) -> Bool {
        guard raw.count == 64, let bio = BIO_new_mem_buf(publicPEM, Int32(publicPEM.count)) else { return false }
        defer { BIO_free(bio) }
        guard let key = PEM_read_bio_PUBKEY(bio, nil, nil, nil) else { return false }
        defer { EVP_PKEY_free(key) }
        let parsed = ECDSA_SIG_new()
        defer { ECDSA_SIG_free(parsed) }
        ECDSA_SIG_set0(parsed, BN_bin2bn(raw, 32, nil), BN_bin2bn(Array(raw[32...]), 32, nil))
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(parsed, &der)
        defer { CRYPTO_free(der, nil, 0) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, der, Int(length), message, message.count) == 1
    }
}
