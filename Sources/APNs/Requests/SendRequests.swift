internal import Delivery
internal import HTTP2

/// Builds pushes and broadcasts of one app with one provider token (Docs/APNs.md 3.1, 3.2). What is the same in every request is
/// laid out once; a request only brings its path or channel, expiration, identifier and body.
///
/// Threads: one, the loop that owns it. Made anew when the token changes.
struct SendRequests {
    private enum DeviceSlot {
        static let expiration = 0
        static let identifier = 1
    }

    private enum BroadcastSlot {
        static let channel = 0
        static let expiration = 1
        static let identifier = 2
    }

    /// The generation of the token inside.
    let generation: UInt32
    private let device: [RequestTemplate]
    private let broadcast: [RequestTemplate]
    private let broadcastPath: [UInt8]
    private var expirationSeconds: Int64 = 0
    private var expiration: [UInt8] = [UInt8(ascii: "0")]

    init(app: APNsApp, token: ProviderToken) {
        generation = token.generation
        let bearer = String(decoding: token.headerValue, as: UTF8.self)
        device = Self.priorities.map { Self.deviceTemplate(app, bearer, $0) }
        broadcast = Self.priorities.map { Self.broadcastTemplate(app, bearer, $0) }
        broadcastPath = Array("/4/broadcasts/apps/\(app.bundleID)".utf8)
    }

    private static let priorities = [10, 5, 1]

    private static func deviceTemplate(_ app: APNsApp, _ bearer: String, _ priority: Int) -> RequestTemplate {
        RequestTemplate(
            method: "POST", authority: app.send.authority,
            fields: [
                .fixed("authorization", bearer, indexing: .never),
                .fixed("apns-topic", app.bundleID + ".push-type.liveactivity"),
                .fixed("apns-push-type", "liveactivity"),
                .fixed("apns-priority", String(priority)),
                .variable("apns-expiration"),
                .variable("apns-id"),
            ])
    }

    private static func broadcastTemplate(_ app: APNsApp, _ bearer: String, _ priority: Int) -> RequestTemplate {
        RequestTemplate(
            method: "POST", authority: app.broadcastEndpoint.authority,
            fields: [
                .fixed("authorization", bearer, indexing: .never),
                .fixed("apns-push-type", "liveactivity"),
                .fixed("apns-priority", String(priority)),
                .variable("apns-channel-id"),
                .variable("apns-expiration"),
                .variable("apns-request-id"),
            ])
    }

    /// APNs knows 10, 5 and 1; anything else is sent as 5, the one that costs no budget.
    private static func index(_ priority: UInt8) -> Int {
        switch priority {
        case 10: 0
        case 1: 2
        default: 1
        }
    }

    /// The request that brings `item` to `destination`.
    mutating func request(
        _ item: PushItem, to destination: Destination, identifier: [UInt8], body: [UInt8]
    ) -> ClientRequest {
        if item.expirationSeconds != expirationSeconds {
            // Most requests in a row expire in the same second.
            expirationSeconds = item.expirationSeconds
            expiration = Array(String(max(0, expirationSeconds)).utf8)
        }
        let index = Self.index(item.priority)
        if destination.kind == .channel {
            var request = ClientRequest(template: broadcast[index], path: broadcastPath, body: body)
            request[BroadcastSlot.channel] = destination.address
            request[BroadcastSlot.expiration] = expiration
            request[BroadcastSlot.identifier] = identifier
            return request
        }
        var request = ClientRequest(template: device[index], path: Self.devicePath(destination.address), body: body)
        request[DeviceSlot.expiration] = expiration
        request[DeviceSlot.identifier] = identifier
        return request
    }

    private static func devicePath(_ token: [UInt8]) -> [UInt8] {
        let prefix: StaticString = "/3/device/"
        return [UInt8](unsafeUninitializedCapacity: prefix.utf8CodeUnitCount + token.count) { buffer, count in
            var rest = buffer[...]
            for byte in UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount) {
                rest[rest.startIndex] = byte
                rest.removeFirst()
            }
            for byte in token {
                rest[rest.startIndex] = byte
                rest.removeFirst()
            }
            count = buffer.count
        }
    }
}

extension APNsEndpoint {
    /// `:authority`: the port only where it is not the one of https.
    var authority: String { port == 443 ? host : "\(host):\(port)" }
}
