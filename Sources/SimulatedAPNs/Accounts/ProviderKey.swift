/// A signing key of the developer account; its public half is with the shell, which checks signatures (Docs/APNs.md
/// 2.2).
public struct ProviderKey: Hashable, Sendable {
    /// What a key may be used for.
    public enum Scope: Hashable, Sendable {
        /// The older kind: both environments, all topics of the team.
        case classic
        /// One environment, all topics of the team.
        case team(Environment)
        /// One environment, the listed bundle IDs, at most one related key by its ID.
        case topics(Environment, [String], related: String?)
    }

    /// Key ID: ten characters, the `kid` of its tokens.
    public var id: String
    /// Team that owns it.
    public var teamID: String
    /// What it may be used for.
    public var scope: Scope

    /// Describes a key.
    public init(id: String, teamID: String, scope: Scope = .classic) {
        self.id = id
        self.teamID = teamID
        self.scope = scope
    }

    /// Whether it belongs to `environment`.
    func serves(_ environment: Environment) -> Bool {
        switch scope {
        case .classic: true
        case .team(let own), .topics(let own, _, _): own == environment
        }
    }

    /// Whether it covers the app.
    func covers(_ app: SimulatedApp) -> Bool {
        guard app.teamID == teamID else { return false }
        if case .topics(_, let bundles, _) = scope { return bundles.contains(app.bundleID) }
        return true
    }

    /// Whether a connection whose first accepted push was signed by `first` takes this key too (Docs/APNs.md 2.2).
    func mixes(with first: ProviderKey) -> Bool {
        if id == first.id { return true }
        guard teamID == first.teamID else { return false }
        switch (first.scope, scope) {
        case (.topics(_, _, let related), _): return related == id
        case (_, .topics): return false
        case (.classic, _), (_, .classic): return true
        case (.team(let one), .team(let other)): return one == other
        }
    }
}
