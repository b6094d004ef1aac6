/// An app that the simulated developer account knows.
public struct SimulatedApp: Hashable, Sendable {
    /// Bundle ID, compared exactly.
    public var bundleID: String
    /// Team that owns it: ten characters, the `iss` of its provider tokens.
    public var teamID: String
    /// Whether the Broadcast capability is switched on (Docs/APNs.md 2.4).
    public var broadcastEnabled: Bool
    /// Most channels; Apple's limit is 10,000 per environment.
    public var channelsMax: Int

    /// Describes an app.
    public init(bundleID: String, teamID: String, broadcastEnabled: Bool = true, channelsMax: Int = 10_000) {
        self.bundleID = bundleID
        self.teamID = teamID
        self.broadcastEnabled = broadcastEnabled
        self.channelsMax = channelsMax
    }

    /// The topic of its Live Activities.
    public var liveActivityTopic: String { bundleID + PushType.liveActivitySuffix }
}
