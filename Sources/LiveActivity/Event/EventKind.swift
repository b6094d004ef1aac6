/// What an event does to a Live Activity (`aps.event`, Docs/APNs.md 4.1). Raw values are stored and sent: never
/// renumber.
public enum EventKind: UInt8, Sendable, CaseIterable {
    /// Starts an activity on a device (push-to-start token).
    case start = 1
    /// Replaces the content state.
    case update = 2
    /// Ends the activity; final for its instance.
    case end = 3

    /// The spelling in `aps.event`.
    public var name: String {
        switch self {
        case .start: "start"
        case .update: "update"
        case .end: "end"
        }
    }

    /// Reads the spelling of `aps.event`; case-sensitive.
    public init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
