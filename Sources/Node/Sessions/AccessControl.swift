internal import Configuration
internal import Messaging

/// Who may use which app and name: the [producer.NAME] and [admin.NAME] sections of the configuration.
struct AccessControl {
    private struct Grant {
        let apps: [String]
        let prefixes: [[UInt8]]

        func covers(app: String, name: ArraySlice<UInt8>) -> Bool {
            (apps.contains("*") || apps.contains(app)) && prefixes.contains { name.starts(with: $0) }
        }
    }

    private let producers: [String: Grant]
    private let admins: [String: Grant]
    private let insecure: Bool

    init(_ settings: Settings) {
        insecure = settings.cluster.insecure
        producers = Dictionary(
            uniqueKeysWithValues: settings.producers.map {
                ($0.name, Grant(apps: $0.apps, prefixes: $0.prefixes.map { Array($0.utf8) }))
            })
        admins = Dictionary(
            uniqueKeysWithValues: settings.admins.map { ($0.name, Grant(apps: $0.apps, prefixes: [[]])) })
    }

    /// Whether this user may use this app at all: for what belongs to devices and to no name.
    func allows(user: String, role: Certificate.Role, app: String) -> Bool {
        if insecure { return true }
        let grant =
            switch role {
            case .producer: producers[user]
            case .admin: admins[user]
            case .node: nil as Grant?
            }
        return grant.map { $0.apps.contains("*") || $0.apps.contains(app) } ?? false
    }

    /// Whether this user may touch this name of this app. Without authentication everybody may.
    func allows(user: String, role: Certificate.Role, app: String, name: ArraySlice<UInt8>) -> Bool {
        if insecure { return true }
        switch role {
        case .producer: return producers[user]?.covers(app: app, name: name) ?? false
        case .admin: return admins[user]?.covers(app: app, name: name) ?? false
        case .node: return false
        }
    }
}
