/// `[demo]`: the size of `carillon demo`.
public struct DemoSettings: Sendable, Hashable {
    /// Devices that follow the channel.
    public var channelDevices = 3_000
    /// Devices that hold a token.
    public var tokenDevices = 300
    /// Share of the devices that are offline for a while, in percent.
    public var offlinePercent = 10
    /// Share of the devices that join late, in percent.
    public var latePercent = 10
    /// Seconds that the match takes.
    public var durationSeconds = 60

    /// With every default.
    public init() {}
}

extension DemoSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer("channel_devices", \.channelDevices, 1...1_000_000, "Devices that follow the channel."),
        .integer("token_devices", \.tokenDevices, 1...100_000, "Devices that hold a token of their own."),
        .integer("offline_percent", \.offlinePercent, 0...90, "Share of the devices that are offline for a while."),
        .integer("late_percent", \.latePercent, 0...90, "Share of the devices that join when the match is under way."),
        .integer("duration_s", \.durationSeconds, 5...86_400, "Time into which the match is compressed."),
    ]
}
