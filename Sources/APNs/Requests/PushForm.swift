internal import Delivery
internal import HTTP2

/// A request that is filled in again and again: the connection copies path and values, so their arrays need not be
/// made anew for every push.
struct PushForm {
    private static let devicePrefix = Array("/3/device/".utf8)

    /// The request as last filled in.
    private(set) var request: ClientRequest
    private let expirationSlot: Int
    private let identifierSlot: Int
    /// Nil: the destination is in the path.
    private let channelSlot: Int?
    private var expirationSeconds: Int64 = -1
    private var identifier = [UInt8](repeating: 0, count: RequestIdentifiers.length)

    /// `POST /3/device/<token>` (Docs/APNs.md 3.1), for updates, ends and starts alike.
    init(device app: APNsApp, bearer: String, priority: Int) {
        self.init(app, bearer, priority, topic: app.bundleID + ".push-type.liveactivity", pushType: "liveactivity")
    }

    /// `POST /3/device/<token>` with an ordinary notification: the topic is the bundle ID (Docs/APNs.md 3.1).
    init(alert app: APNsApp, bearer: String, priority: Int) {
        self.init(app, bearer, priority, topic: app.bundleID, pushType: "alert")
    }

    private init(_ app: APNsApp, _ bearer: String, _ priority: Int, topic: String, pushType: String) {
        let template = RequestTemplate(
            method: "POST", authority: app.send.authority,
            fields: [
                .fixed("authorization", bearer, indexing: .never),
                .fixed("apns-topic", topic),
                .fixed("apns-push-type", pushType),
                .fixed("apns-priority", String(priority)),
                .variable("apns-expiration"),
                .variable("apns-id"),
            ])
        request = ClientRequest(template: template, path: Self.devicePrefix)
        (expirationSlot, identifierSlot, channelSlot) = (0, 1, nil)
    }

    /// `POST /4/broadcasts/apps/<bundle id>` (Docs/APNs.md 3.2).
    init(broadcast app: APNsApp, bearer: String, priority: Int) {
        let template = RequestTemplate(
            method: "POST", authority: app.broadcastEndpoint.authority,
            fields: [
                .fixed("authorization", bearer, indexing: .never),
                .fixed("apns-push-type", "liveactivity"),
                .fixed("apns-priority", String(priority)),
                .variable("apns-channel-id"),
                .variable("apns-expiration"),
                .variable("apns-request-id"),
            ])
        request = ClientRequest(template: template, path: Array("/4/broadcasts/apps/\(app.bundleID)".utf8))
        (channelSlot, expirationSlot, identifierSlot) = (0, 1, 2)
    }

    /// Fills in what is different this time.
    mutating func fill(
        _ item: PushItem, to destination: Destination, identifier halves: (UInt64, UInt64), body: [UInt8]
    ) {
        if item.expirationSeconds != expirationSeconds {
            // Most requests in a row expire in the same second.
            expirationSeconds = item.expirationSeconds
            request[expirationSlot] = Array(String(max(0, expirationSeconds)).utf8)
        }
        // With the request's reference gone the array is ours alone and is written in place.
        request[identifierSlot] = []
        identifier.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { RequestIdentifiers.write(halves, to: base) }
        }
        request[identifierSlot] = identifier
        if let channelSlot {
            request[channelSlot] = destination.address
        } else {
            writePath(destination.address)
        }
        request.body = body
    }

    /// Fills in what is different this time and hands the request to a connection; false when it does not take it.
    mutating func submit(
        _ item: PushItem, to destination: Destination, identifier: (UInt64, UInt64), body: [UInt8],
        on connection: ClientConnection, tag: UInt64
    ) -> Bool {
        fill(item, to: destination, identifier: identifier, body: body)
        return connection.submit(request, tag: tag)
    }

    private mutating func writePath(_ token: [UInt8]) {
        let prefix = Self.devicePrefix.count
        if request.path.count != prefix + token.count {
            request.path = Self.devicePrefix + token
            return
        }
        request.path.withUnsafeMutableBytes { path in
            token.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: path[prefix...]).copyMemory(from: $0) }
        }
    }
}

extension APNsEndpoint {
    /// `:authority`: the port only where it is not the one of https.
    var authority: String { port == 443 ? host : "\(host):\(port)" }
}
