public import LiveActivity
public import SimulatedAPNs

/// Everything an APNs simulator needs to start.
public struct SimulatorSettings: Sendable {
    /// Address to listen on, for both ports.
    public var host = "127.0.0.1"
    /// Port for `/3/device` and `/4/broadcasts`; 0: any free one.
    public var sendPort: UInt16 = 0
    /// Port for channel management; 0: any free one.
    public var managePort: UInt16 = 0
    /// Directory with the CA, the server's certificate and the provider key; what is missing is made.
    public var credentialsDirectory: String
    /// Names and addresses for which the server's certificate is made.
    public var serverNames = ["localhost", "127.0.0.1", "::1"]
    /// Team of the provider key in the credentials directory.
    public var teamID = "SIMTEAM001"
    /// ID of the provider key in the credentials directory.
    public var keyID = "SIMKEY0001"
    /// Further keys with their public halves.
    public var keys: [SimulatorKey] = []
    /// The apps of the developer account.
    public var apps: [SimulatedApp]
    /// Attributes types of the apps.
    public var schemas: [ActivitySchema] = []
    /// Devices to begin with.
    public var devices: [DeviceGroup] = []
    /// How APNs behaves.
    public var rules = Rules()
    /// Seed of everything that happens by chance: IDs, tokens, losses, latencies.
    public var seed: UInt64 = 1
    /// How long an answer takes, in milliseconds from 0; may be changed while it runs.
    public var answerDelayMilliseconds: Int64 = 0
    /// Path of the control socket; nil: none.
    public var controlPath: String?

    /// Settings with the defaults above.
    public init(credentialsDirectory: String, apps: [SimulatedApp], controlPath: String? = nil) {
        self.credentialsDirectory = credentialsDirectory
        self.apps = apps
        self.controlPath = controlPath
    }
}

/// A provider key of which the simulator knows the public half.
public struct SimulatorKey: Sendable, Hashable {
    /// ID, team and scope.
    public var key: ProviderKey
    /// `-----BEGIN PUBLIC KEY-----` …
    public var publicKeyPEM: [UInt8]

    /// Joins a key with its public half.
    public init(_ key: ProviderKey, publicKeyPEM: [UInt8]) {
        self.key = key
        self.publicKeyPEM = publicKeyPEM
    }
}

/// Devices that are alike.
public struct DeviceGroup: Sendable, Hashable {
    /// What the devices have.
    public enum Way: Sendable, Hashable {
        /// An activity with an update token each.
        case tokens
        /// An activity on every channel of the app that is created while the simulator runs.
        case newChannels
    }

    /// Bundle ID.
    public var bundleID: String
    /// How many.
    public var count: Int
    /// How many of them are offline at first.
    public var offline: Int
    /// What they have.
    public var way: Way
    /// Attributes type, nil: anything decodes.
    public var schema: String?

    /// Describes a group.
    public init(bundleID: String, count: Int, offline: Int = 0, way: Way, schema: String? = nil) {
        self.bundleID = bundleID
        self.count = count
        self.offline = offline
        self.way = way
        self.schema = schema
    }
}
