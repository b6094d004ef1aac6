/// The requests that APNs knows (Docs/APNs.md 3.1 to 3.3), for tables and tests.
public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// A device push to an update token.
    case device
    /// The same to a push-to-start token.
    case start
    /// A broadcast to a channel.
    case broadcast
    /// Creates a channel.
    case create
    /// Reads a channel.
    case read
    /// Deletes a channel.
    case delete
    /// Lists channels.
    case list

    /// Where it is sent to.
    public var listener: ListenerKind {
        switch self {
        case .device, .start, .broadcast: .send
        case .create, .read, .delete, .list: .manage
        }
    }
}
