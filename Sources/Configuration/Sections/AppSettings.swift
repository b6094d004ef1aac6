/// The three worlds of APNs, which never mix (Docs/APNs.md 1.1).
public enum PushEnvironment: String, Sendable, CaseIterable {
    /// Carillon's own simulator.
    case simulator
    /// Apple's development environment.
    case sandbox
    /// Apple's production environment.
    case production
}

/// `[app.NAME]`: one bundle ID in one environment with its credentials.
public struct AppSettings: Sendable, Hashable {
    /// The app's name: what producers call it.
    public var name = ""
    /// The bundle ID; `apns-topic` is made from it.
    public var bundleID = ""
    /// Where it is delivered.
    public var environment = PushEnvironment.simulator
    /// Apple's team ID, `iss` of the provider token.
    public var teamID = ""
    /// Apple's key ID, `kid` of the provider token.
    public var keyID = ""
    /// The key's file, PKCS 8 in PEM.
    public var keyFile = ""
    /// The schema of its types; empty: events are not compared with types.
    public var schemaFile = ""
    /// Which type an event is of: `*`, `NAME` or `PREFIX=NAME`; the first that fits.
    public var attributesTypes = ["*"]

    /// With every default.
    public init() {}
}

extension AppSettings: NamedSection {
    static let fields: [Field<Self>] = [
        .text("bundle_id", \.bundleID, .bundleID, "The app's bundle ID; apns-topic is made from it.", required: true),
        .word(
            "environment", \.environment,
            "Where it is delivered. Tokens and channels of one environment mean nothing in another.", required: true),
        .text("team_id", \.teamID, .tenCharacters, "Apple's team ID, `iss` of the provider token.", required: true),
        .text("key_id", \.keyID, .tenCharacters, "Apple's key ID, `kid` of the provider token.", required: true),
        .path(
            "key_file", \.keyFile,
            """
            The key that signs provider tokens (.p8, PKCS 8 in PEM). Only its path is written here. The simulator \
            writes one at its first start.
            """, required: true),
        .path(
            "schema_file", \.schemaFile,
            """
            The app's types, as `carillon schema FILE.swift` prints them. Events whose content state or attributes a \
            phone could not decode are then refused at once. Empty: they are not compared.
            """, optional: true),
        .list(
            "attributes_types", \.attributesTypes, of: .attributesType,
            """
            Which type of schema_file an event is of, the first that fits: "NAME" for all events, "PREFIX=NAME" for \
            names that begin so. "*" is the one type of the file; when it has several, only a start, which names its \
            own, is compared.
            """),
    ]
}
