public import Codes

/// Which of Apple's worlds an app lives in; tokens, channels and keys never cross (Docs/APNs.md 1.1).
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// App Store and TestFlight builds.
    case production
    /// Debug builds.
    case sandbox
    /// The simulator of this project.
    case simulator

    /// Where pushes and broadcasts go.
    public var sendEndpoint: APNsEndpoint {
        switch self {
        case .production: APNsEndpoint(host: "api.push.apple.com", port: 443)
        case .sandbox: APNsEndpoint(host: "api.sandbox.push.apple.com", port: 443)
        case .simulator: APNsEndpoint(host: "localhost", port: 8443)
        }
    }

    /// Where channels are managed; another host and another port than sending.
    public var manageEndpoint: APNsEndpoint {
        switch self {
        case .production: APNsEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
        case .sandbox: APNsEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
        case .simulator: APNsEndpoint(host: "localhost", port: 8444)
        }
    }

    /// The environment a token probably belongs to when this one does not know it.
    var other: APNsEnvironment {
        switch self {
        case .production: .sandbox
        case .sandbox, .simulator: .production
        }
    }
}

/// A host and a port.
public struct APNsEndpoint: Sendable, Hashable {
    /// Name or address; resolved anew for each connection.
    public var host: String
    /// TCP port. Apple also takes pushes on 2197, for firewalls that block 443.
    public var port: UInt16

    /// Makes an endpoint.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// One app: a bundle ID in one environment with its credentials, hosts and limits.
public struct APNsApp: Sendable, Hashable {
    /// As registered with Apple; without any suffix.
    public var bundleID: String
    /// Chooses the presets of hosts and ports, and is named in errors.
    public var environment: APNsEnvironment
    /// Path of the .p8 file.
    public var keyFile: String
    /// Ten characters, from Apple's developer site.
    public var keyID: String
    /// Ten characters.
    public var teamID: String
    /// Host and port for pushes.
    public var send: APNsEndpoint
    /// Host and port for broadcasts where they differ from `send`: Apple's pages disagree about the name
    /// (Docs/APNs.md 1.1).
    public var broadcast: APNsEndpoint?
    /// Host and port for channel operations.
    public var manage: APNsEndpoint
    /// PEM file of trusted roots; nil: those of the system.
    public var caFile: String?
    /// Name that the server certificate must carry; nil: the host.
    public var serverName: String?
    /// Most connections for sending, over all loops; at least one per loop is used. 1 to 1000.
    public var connections: Int
    /// Most streams used on one connection, whatever the peer allows. 1 to 10,000.
    public var streamsPerConnection: Int
    /// Connections that may be opened at once before `connectionsPerMinute` counts: APNs takes opening and closing
    /// repeatedly for an attack (Docs/APNs.md 1.6). Per loop. 1 to 10,000.
    public var connectionBurst = 12
    /// New connections per minute after the burst. 1 to 10,000.
    public var connectionsPerMinute = 12

    /// Makes an app with the presets of its environment.
    public init(
        bundleID: String, environment: APNsEnvironment, keyFile: String, keyID: String, teamID: String,
        send: APNsEndpoint? = nil, broadcast: APNsEndpoint? = nil, manage: APNsEndpoint? = nil, caFile: String? = nil,
        serverName: String? = nil,
        connections: Int = 4, streamsPerConnection: Int = 1000
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.keyFile = keyFile
        self.keyID = keyID
        self.teamID = teamID
        self.send = send ?? environment.sendEndpoint
        self.broadcast = broadcast
        self.manage = manage ?? environment.manageEndpoint
        self.caFile = caFile
        self.serverName = serverName
        self.connections = connections
        self.streamsPerConnection = streamsPerConnection
    }

    /// Where broadcasts go.
    var broadcastEndpoint: APNsEndpoint { broadcast ?? send }
}

/// Everything `APNsService` is told at its start.
public struct APNsSettings: Sendable, Hashable {
    /// The apps; a `Destination.app` is an index into this list.
    public var apps: [APNsApp]
    /// Threads for sending. 1 to 64.
    public var loops: Int = 1
    /// How long an answer may take before the stream is cancelled, in milliseconds. 100 to 600,000.
    public var requestTimeoutMilliseconds: Int64 = 10_000
    /// How long name, connection and handshake may take together, in milliseconds. 100 to 600,000.
    public var connectTimeoutMilliseconds: Int64 = 10_000
    /// Age at which a provider token is renewed, in milliseconds; held between 20 and 55 minutes.
    public var tokenRenewalMilliseconds: Int64 = 45 * 60_000
    /// Most offers that may wait in front of each loop. 1 to 10,000,000.
    public var offersMax: Int = 100_000
    /// Most destinations that each loop keeps lanes for. 1 to 10,000,000.
    public var lanesMax: Int = 1_000_000
    /// Silence of an idle connection after which it is asked for a sign of life (PING), in milliseconds. It keeps the
    /// flow known to NAT devices; Apple finds an hour fine (Docs/APNs.md 1.6). 100 to 3,600,000.
    public var pingAfterIdleMilliseconds: Int64 = 60_000
    /// Silence while answers are awaited after which it is asked, in milliseconds. Together with
    /// `pongTimeoutMilliseconds` below the time-out of requests, so that a dead connection is found before its
    /// requests time out one by one. 100 to 600,000.
    public var pingAfterSilenceMilliseconds: Int64 = 3_000
    /// How long the answer to a PING may take, in milliseconds; then the connection is replaced. 100 to 600,000.
    public var pongTimeoutMilliseconds: Int64 = 5_000
    /// How long a send may wait for others so that they share a TLS record and a system call, in microseconds; only
    /// under load: the first after a pause leaves at once. 0 to 5000.
    public var coalescingMicroseconds: Int64 = 500

    /// Sending is allowed until then, in milliseconds since boot, before `APNsService.lease` says anything: `Int64.max`
    /// where nobody gives leases, 0 on a node that needs one.
    public var leasedUntilBootMilliseconds: Int64 = .max

    /// Settings with the defaults above.
    public init(apps: [APNsApp]) { self.apps = apps }

    /// Everything that cannot work, each with the place `apps[i].field`; empty when all is well.
    public func problems() -> [Fault] {
        var problems: [Fault] = []
        func check(_ holds: Bool, _ place: String, _ detail: String) {
            if !holds { problems.append(Fault(.apnsSettingsInvalid, detail, at: place)) }
        }
        check(!apps.isEmpty && apps.count <= 65_536, "apps", "between 1 and 65536 apps")
        check((1...64).contains(loops), "loops", "must be 1 to 64")
        check((100...600_000).contains(requestTimeoutMilliseconds), "requestTimeoutMilliseconds", "100 to 600000")
        check((100...600_000).contains(connectTimeoutMilliseconds), "connectTimeoutMilliseconds", "100 to 600000")
        check((100...3_600_000).contains(pingAfterIdleMilliseconds), "pingAfterIdleMilliseconds", "100 to 3600000")
        check((100...600_000).contains(pingAfterSilenceMilliseconds), "pingAfterSilenceMilliseconds", "100 to 600000")
        check((100...600_000).contains(pongTimeoutMilliseconds), "pongTimeoutMilliseconds", "100 to 600000")
        check((1...10_000_000).contains(offersMax), "offersMax", "must be 1 to 10000000")
        check((1...10_000_000).contains(lanesMax), "lanesMax", "must be 1 to 10000000")
        check((0...5000).contains(coalescingMicroseconds), "coalescingMicroseconds", "must be 0 to 5000")
        for (index, app) in apps.enumerated() {
            let place = "apps[\(index)]"
            check(Self.isBundleID(app.bundleID), place + ".bundleID", "letters, digits, hyphens and dots only")
            check(Self.isIdentifier(app.keyID), place + ".keyID", "1 to 64 letters and digits")
            check(Self.isIdentifier(app.teamID), place + ".teamID", "1 to 64 letters and digits")
            check((1...1000).contains(app.connections), place + ".connections", "must be 1 to 1000")
            check((1...10_000).contains(app.streamsPerConnection), place + ".streamsPerConnection", "1 to 10000")
            check((1...10_000).contains(app.connectionBurst), place + ".connectionBurst", "1 to 10000")
            check((1...10_000).contains(app.connectionsPerMinute), place + ".connectionsPerMinute", "1 to 10000")
            check(!app.send.host.isEmpty && app.send.port > 0, place + ".send", "host and port")
            check(!app.manage.host.isEmpty && app.manage.port > 0, place + ".manage", "host and port")
        }
        return problems
    }

    /// The bundle ID goes into a path and a header: nothing that could end either.
    private static func isBundleID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 155
            && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isAlphanumeric)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
