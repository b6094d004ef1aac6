internal import HTTP2

/// Builds channel operations of one app with one provider token (Docs/APNs.md 3.3).
struct ManagementRequests {
    /// The generation of the token inside.
    let generation: UInt32
    private let app: APNsApp
    private let bearer: String

    init(app: APNsApp, token: ProviderToken) {
        generation = token.generation
        self.app = app
        bearer = String(decoding: token.headerValue, as: UTF8.self)
    }

    /// The request of `operation`. They are rare: a template of its own for each costs nothing.
    func request(_ operation: ChannelOperation, identifier: [UInt8]) -> ClientRequest {
        switch operation {
        case .create(let policy):
            let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
            return request("POST", "channels", nil, identifier, body: Array(body.utf8))
        case .read(let channelID): return request("GET", "channels", channelID, identifier)
        case .delete(let channelID): return request("DELETE", "channels", channelID, identifier)
        case .list: return request("GET", "all-channels", nil, identifier)
        }
    }

    private func request(
        _ method: String, _ resource: String, _ channelID: String?, _ identifier: [UInt8], body: [UInt8] = []
    ) -> ClientRequest {
        var fields: [RequestTemplate.Field] = [.fixed("authorization", bearer, indexing: .never)]
        if let channelID { fields.append(.fixed("apns-channel-id", channelID, indexing: .nameOnly)) }
        fields.append(.variable("apns-request-id"))
        let template = RequestTemplate(method: method, authority: app.manage.authority, fields: fields)
        var request = ClientRequest(
            template: template, path: Array("/1/apps/\(app.bundleID)/\(resource)".utf8), body: body)
        request[0] = identifier
        return request
    }
}
