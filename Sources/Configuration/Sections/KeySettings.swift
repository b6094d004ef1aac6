/// `[keys]`: where certificates lie.
public struct KeySettings: Sendable, Hashable {
    /// What a certificate allows.
    public enum Role: String, Sendable, CaseIterable {
        /// Publishes events.
        case producer
        /// Is a node of the cluster.
        case node
        /// Manages channels and reads everything.
        case admin
    }

    /// Directory of the certificates.
    public var directory = "data/keys"

    /// With every default.
    public init() {}

    /// Where the public certificates of a role lie: `<directory>/<role>`.
    public func directory(of role: Role) -> String { "\(directory)/\(role.rawValue)" }

    /// The public certificate of a name: `<directory>/<role>/<name>.key`, the names that pyzmq gives its files.
    public func publicFile(_ role: Role, _ name: String) -> String { "\(directory(of: role))/\(name).key" }

    /// The secret certificate of a name: `<directory>/<role>/<name>.key_secret`.
    public func secretFile(_ role: Role, _ name: String) -> String { "\(directory(of: role))/\(name).key_secret" }
}

extension KeySettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .path(
            "directory", \.directory,
            """
            Directory of the certificates that `carillon keys new` writes: producer/, node/ and admin/, in each one \
            public file NAME.key for whoever may connect, and beside it the secret NAME.key_secret, which only the \
            process of that name needs. It is read again without a restart; removing a public file locks its owner out.
            """)
    ]
}
