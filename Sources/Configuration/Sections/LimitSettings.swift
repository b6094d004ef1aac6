/// `[limits]`: the bounds of everything that is fed from outside.
public struct LimitSettings: Sendable, Hashable {
    /// Most live keys of a node.
    public var keys = 100_000
    /// Most tokens of one activity.
    public var tokensPerActivity = 1_000
    /// Most starts that one device is sent within an hour.
    public var startsPerDeviceHour = 10
    /// Most producer sessions.
    public var producers = 1_000
    /// Most unanswered events of one producer.
    public var credit = 1_000
    /// Largest frame that the producers' socket takes, in bytes.
    public var frameBytes = 65_536
    /// Most writes that wait for the disk.
    public var storeQueue = 16_384
    /// Most orders that wait for one APNs loop.
    public var dispatchQueue = 65_536
    /// Most receipts that wait for one producer.
    public var receiptsPerProducer = 10_000

    /// With every default.
    public init() {}
}

extension LimitSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer(
            "keys", \.keys, 1...10_000_000,
            "Most live keys of a node, each with its newest payload in memory; more are refused as overloaded."),
        .integer(
            "tokens_per_activity", \.tokensPerActivity, 1...1_000_000,
            "Most device tokens that follow one activity; more are refused as overloaded."),
        .integer(
            "starts_per_device_hour", \.startsPerDeviceHour, 1...255,
            "Most starts sent to one device within an hour, also over restarts. Our choice: Apple names no number."
        ),
        .integer(
            "producers", \.producers, 1...100_000, "Most producer sessions at a time; more get no `ready`."),
        .integer(
            "credit", \.credit, 1...65_535,
            "Most events that one producer may have unanswered; it waits when its credit is used up."),
        .integer(
            "frame_bytes", \.frameBytes, 8_192...16_777_216,
            "Largest frame that the producers' socket takes from the wire; a larger one ends its connection."),
        .integer(
            "store_queue", \.storeQueue, 16...1_000_000,
            "Most writes that wait for the disk; when it is full, events are refused as overloaded."),
        .integer(
            "dispatch_queue", \.dispatchQueue, 16...10_000_000,
            "Most orders that wait for one APNs loop; when it is full, keys wait in the core and conflate there."),
        .integer(
            "receipts_per_producer", \.receiptsPerProducer, 1...1_000_000,
            "Most receipts that wait for one producer; more are dropped and counted, and can still be asked for."),
    ]
}
