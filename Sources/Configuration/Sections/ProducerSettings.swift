/// `[producer.NAME]`: what the holder of one producer certificate may do.
public struct ProducerSettings: Sendable, Hashable {
    /// The certificate's name.
    public var name = ""
    /// Apps it may publish to; `*` for all.
    public var apps: [String] = []
    /// Beginnings of the names it may use; an empty text allows all.
    public var prefixes: [String] = []

    /// With every default.
    public init() {}
}

extension ProducerSettings: NamedSection {
    static let fields: [Field<Self>] = [
        .list("apps", \.apps, of: .appName, "Apps that it may publish to; \"*\" for all.", required: true),
        .list(
            "prefixes", \.prefixes, of: .prefix,
            "Beginnings of the names that it may use, for example \"match/\"; \"\" allows all.", required: true),
    ]
}

/// `[admin.NAME]`: what the holder of one admin certificate may do.
public struct AdminSettings: Sendable, Hashable {
    /// The certificate's name.
    public var name = ""
    /// Apps whose channels it may create and delete; `*` for all.
    public var apps: [String] = ["*"]

    /// With every default.
    public init() {}
}

extension AdminSettings: NamedSection {
    static let fields: [Field<Self>] = [
        .list("apps", \.apps, of: .appName, "Apps whose channels it may create and delete; \"*\" for all.")
    ]
}
