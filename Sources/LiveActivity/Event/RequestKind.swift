/// The three kinds of request that carry a Live Activity payload (Docs/APNs.md, opening); they differ in rules and
/// sizes.
public enum RequestKind: UInt8, Sendable, CaseIterable {
    /// Update or end to one activity's push token.
    case device = 1
    /// Push-to-start token.
    case start = 2
    /// A channel.
    case broadcast = 3

    /// The word for it: `device`, `start` or `broadcast`.
    public var name: String {
        switch self {
        case .device: "device"
        case .start: "start"
        case .broadcast: "broadcast"
        }
    }

    /// Reads the word; case-sensitive.
    public init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Most bytes of the body, the timestamp included (Docs/APNs.md 4.6).
    public var payloadBytesMax: Int {
        self == .broadcast ? 5120 : 4096
    }
}
