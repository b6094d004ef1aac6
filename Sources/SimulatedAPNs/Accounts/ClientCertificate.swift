/// The certificate that a client showed in the handshake, as far as APNs judges it (Docs/APNs.md 2.3). Signature and
/// dates are checked outside, because that needs cryptography.
public struct ClientCertificate: Hashable, Sendable {
    /// Whether it was issued by the authority that APNs trusts, is in force, and lists topics.
    public var isValid: Bool
    /// Environments it is for.
    public var environments: [Environment]
    /// Topics it lists, which are all it can send to.
    public var topics: [String]

    /// Joins what was found out.
    public init(isValid: Bool, environments: [Environment], topics: [String]) {
        self.isValid = isValid
        self.environments = environments
        self.topics = topics
    }

    /// What is wrong with it for an APNs of `environment`; nil: nothing.
    func trouble(in environment: Environment) -> Reason? {
        guard isValid else { return .badCertificate }
        return environments.contains(environment) ? nil : .badCertificateEnvironment
    }
}
