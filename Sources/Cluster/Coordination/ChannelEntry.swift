import Wire

/// One channel of the catalogue.
public struct ChannelEntry: Hashable, Sendable {
    /// Version of the stored form.
    static let layoutVersion: UInt8 = 1
    /// Longest channel ID that is taken from APNs or disk, in bytes.
    static let channelIDBytesMax = 256

    /// A caller that waits for the channel.
    struct Waiter: Hashable, Sendable {
        var origin: UInt64
    }

    /// Index of the app.
    public var app: UInt16
    /// What APNs stores of it.
    public var policy: StoragePolicy
    /// Where it stands.
    public var state: ChannelState
    /// Apple's ID; nil until APNs has given one.
    public var channelID: [UInt8]?
    /// A POST may have been carried out without our knowing: look before the next one.
    var mayExist = false
    var waiters: [Waiter] = []

    /// The stored form.
    public var row: [UInt8] {
        var row = RowWriter(capacity: 64)
        row.byte(Self.layoutVersion)
        row.byte(policy.rawValue)
        row.byte(state.rawValue)
        row.string(channelID ?? [])
        return row.bytes
    }

    /// Reads the stored form; nil when the bytes are none. Whatever was intended may have been carried out.
    public init?(row bytes: [UInt8], app: UInt16) {
        var row = RowReader(bytes)
        guard row.byte() == Self.layoutVersion, let policy = row.byte().flatMap(StoragePolicy.init(rawValue:)),
            let state = row.byte().flatMap(ChannelState.init(rawValue:)),
            let channelID = row.string(limit: Self.channelIDBytesMax), row.isAtEnd,
            !channelID.isEmpty || state == .intended || state == .failed
        else { return nil }
        self.init(app: app, policy: policy, state: state)
        self.channelID = channelID.isEmpty ? nil : channelID
        mayExist = state == .intended
    }

    /// Makes an entry without ID.
    public init(app: UInt16, policy: StoragePolicy, state: ChannelState) {
        self.app = app
        self.policy = policy
        self.state = state
    }

    /// The entry as callers see it.
    func summary(of key: Key) -> ChannelSummary {
        ChannelSummary(name: key.name, channelID: channelID, policy: policy, state: state)
    }
}
