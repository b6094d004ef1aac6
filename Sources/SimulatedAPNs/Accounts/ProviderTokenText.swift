internal import LiveActivity

/// A provider token taken apart: everything but the check of its signature (Docs/APNs.md 2.1, RFC 7515).
public struct ProviderTokenText: Hashable, Sendable {
    /// `kid`.
    public let keyID: String
    /// `iss`.
    public let teamID: String
    /// `iat`, seconds since 1970.
    public let issuedAtSeconds: Int64
    /// The bytes that are signed.
    public let signedBytes: [UInt8]
    /// The signature as it came: raw R‖S of 64 bytes, or DER as Apple's own recipe makes it.
    public let signature: [UInt8]

    private static let bytesMax = 4096

    /// Reads an `authorization` field; nil when it is no ES256 provider token.
    public init?(authorization: String) {
        let text = Array(authorization.utf8)
        guard text.count <= Self.bytesMax, text.count > 7,
            String(decoding: text[..<7], as: UTF8.self).lowercased() == "bearer "
        else { return nil }
        let parts = text[7...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64.decodeURLSafe(parts[0]).flatMap(parsed),
            let claims = Base64.decodeURLSafe(parts[1]).flatMap(parsed),
            let signature = Base64.decodeURLSafe(parts[2])
        else { return nil }
        guard header["alg"]?.string == "ES256", let keyID = header["kid"]?.string,
            let teamID = claims["iss"]?.string,
            let issuedAt = claims["iat"]?.double.flatMap(wholeSeconds)
        else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        issuedAtSeconds = issuedAt
        signedBytes = Array(text[parts[0].startIndex..<parts[1].endIndex])
        self.signature = signature
    }
}
