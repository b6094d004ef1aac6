internal import Delivery
internal import HTTP2

/// Pushes and broadcasts of one app with one provider token (Docs/APNs.md 3.1, 3.2). What is the same in every
/// request is laid out once per operation and priority.
///
/// Threads: one, the loop that owns it. Made anew when the token changes.
struct SendRequests {
    private static let priorities = [10, 5, 1]

    /// The generation of the token inside; 0: there is none yet, and nothing can be sent.
    let generation: UInt32
    /// Device forms by priority, then broadcast forms, then forms for ordinary notifications.
    private var forms: [PushForm]

    /// Before the first token.
    init() {
        generation = 0
        forms = []
    }

    init(app: APNsApp, token: ProviderToken) {
        generation = token.generation
        let bearer = String(decoding: token.headerValue, as: UTF8.self)
        forms =
            Self.priorities.map { PushForm(device: app, bearer: bearer, priority: $0) }
            + Self.priorities.map { PushForm(broadcast: app, bearer: bearer, priority: $0) }
            + Self.priorities.map { PushForm(alert: app, bearer: bearer, priority: $0) }
    }

    /// APNs knows 10, 5 and 1; anything else is sent as 5, the one that costs no budget.
    private static func index(_ item: PushItem, _ destination: Destination) -> Int {
        let base =
            switch destination.kind {
            case .token, .startToken: 0
            case .channel: priorities.count
            case .ordinaryToken: 2 * priorities.count
            }
        return switch item.priority {
        case 10: base
        case 1: base + 2
        default: base + 1
        }
    }

    /// Submits the request that brings `item` to `destination`; false when the connection does not take it.
    mutating func submit(
        _ item: PushItem, to destination: Destination, identifier: (UInt64, UInt64), body: [UInt8],
        on connection: ClientConnection, tag: UInt64
    ) -> Bool {
        guard !forms.isEmpty else { return false }
        return forms[Self.index(item, destination)].submit(
            item, to: destination, identifier: identifier, body: body, on: connection, tag: tag)
    }

    /// The request itself, for tests.
    mutating func request(
        _ item: PushItem, to destination: Destination, identifier: (UInt64, UInt64), body: [UInt8]
    ) -> ClientRequest {
        let index = Self.index(item, destination)
        forms[index].fill(item, to: destination, identifier: identifier, body: body)
        return forms[index].request
    }
}
