/// What the shell found about a request's credentials. Signatures are checked outside, because that needs cryptography.
public enum Credential: Hashable, Sendable {
    /// No `authorization` field.
    case missing
    /// An `authorization` field that is no ES256 provider token.
    case malformed
    /// A provider token, its signature judged.
    case token(ProviderToken)
}

/// The verdict of the signature check.
public enum TokenVerdict: Hashable, Sendable {
    /// Signed by the key that its `kid` names.
    case good
    /// Not signed by that key.
    case bad
    /// The simulator has no key of this ID.
    case unknownKey
}

/// A provider token as far as APNs judges it (Docs/APNs.md 2.1).
public struct ProviderToken: Hashable, Sendable {
    /// A number for this exact string, given by the shell: two requests carry the same token when their serials agree.
    public var serial: UInt64
    /// `kid`.
    public var keyID: String
    /// `iss`.
    public var teamID: String
    /// `iat`, seconds since 1970.
    public var issuedAtSeconds: Int64
    /// Whether the signature holds.
    public var verdict: TokenVerdict

    /// Joins the parts of a token.
    public init(serial: UInt64, keyID: String, teamID: String, issuedAtSeconds: Int64, verdict: TokenVerdict) {
        self.serial = serial
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAtSeconds = issuedAtSeconds
        self.verdict = verdict
    }
}
