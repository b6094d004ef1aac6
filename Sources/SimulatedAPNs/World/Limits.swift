/// How much a simulated world holds; what is beyond is refused by name or counted, never grown into.
public enum Limits {
    /// Apps of the account.
    public static let apps = 10_000
    /// Provider keys of the account.
    public static let keys = 1_000
    /// Devices.
    public static let devices = 200_000
    /// Activities over all devices.
    public static let activities = 400_000
    /// Push tokens of all kinds.
    public static let tokens = 400_000
    /// Activities one device carries; a start beyond is dropped (`targetMaximumExceeded`, Docs/APNs.md 4.7).
    public static let activitiesPerDevice = 8
    /// Groups of devices that follow every new channel.
    public static let standingFollowers = 1_000
    /// Bundle IDs for which one offline device has a message stored.
    public static let storedPerDevice = 16
    /// Deliveries on their way to devices; more are lost and counted.
    public static let deliveriesUnderWay = 2_000_000
    /// Shown states that a device remembers.
    public static let historyPerActivity = 16
    /// Alerts by which a device recognises that it rings twice for the same thing.
    public static let ringsRemembered = 64
    /// Latest accepted `apns-id`s among which a repetition is noticed.
    public static let messageIDsRemembered = 1 << 18
    /// Bytes of a channel ID; longer ones are `BadChannelId`.
    public static let channelIDBytes = 128
    /// Bytes of a collapse ID (Docs/APNs.md 3.1).
    public static let collapseIDBytes = 64
    /// Bytes of a device token.
    public static let tokenBytes = 8...256
    /// Longest time APNs keeps a broadcast (Docs/APNs.md 5.7).
    public static let broadcastStoredMilliseconds: Int64 = 8 * 3_600_000
    /// Longest time APNs keeps a device push (Docs/APNs.md 5.7).
    public static let pushStoredMilliseconds: Int64 = 30 * 86_400_000
}
