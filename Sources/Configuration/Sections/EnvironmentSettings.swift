/// `[environment.…]`: how to reach APNs in one environment.
public struct EnvironmentSettings: Sendable, Hashable {
    /// Host of device pushes.
    public var sendHost = ""
    /// Port of device pushes and broadcasts.
    public var sendPort = 443
    /// Host of broadcasts; empty: `sendHost`.
    public var broadcastHost = ""
    /// Host of channel management.
    public var manageHost = ""
    /// Port of channel management.
    public var managePort = 443
    /// Trusted authorities in PEM; empty: those of the system.
    public var caFile = ""
    /// The name that the server's certificate must carry; empty: the host's.
    public var serverName = ""

    /// Without hosts; use `preset`.
    public init() {}

    /// Hosts and ports that hold when the file says nothing (Docs/APNs.md 1.1).
    public static func preset(_ environment: PushEnvironment) -> EnvironmentSettings {
        var settings = EnvironmentSettings()
        switch environment {
        case .simulator:
            (settings.sendHost, settings.sendPort) = ("127.0.0.1", 7443)
            (settings.manageHost, settings.managePort) = ("127.0.0.1", 7444)
            settings.caFile = "data/simulator/ca.pem"
            settings.serverName = "localhost"
        case .sandbox:
            settings.sendHost = "api.sandbox.push.apple.com"
            (settings.manageHost, settings.managePort) = ("api-manage-broadcast.sandbox.push.apple.com", 2195)
        case .production:
            settings.sendHost = "api.push.apple.com"
            (settings.manageHost, settings.managePort) = ("api-manage-broadcast.push.apple.com", 2196)
        }
        return settings
    }
}

extension EnvironmentSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .text("send_host", \.sendHost, .host, "Host of device pushes."),
        .integer(
            "send_port", \.sendPort, 1...65535,
            "Port of device pushes and broadcasts. Apple also serves device pushes on 2197, for firewalls."),
        .text(
            "broadcast_host", \.broadcastHost, .optionalHost,
            "Host of broadcasts; empty: send_host. Apple's own pages name two hosts; both are known to answer."),
        .text("manage_host", \.manageHost, .host, "Host of channel management."),
        .integer("manage_port", \.managePort, 1...65535, "Port of channel management."),
        .path(
            "ca_file", \.caFile, "Trusted certificate authorities in PEM; empty: those of the system.", optional: true),
        .text(
            "server_name", \.serverName, .optionalHost,
            "The name that the server's certificate must carry; empty: the host's own."),
    ]
}
