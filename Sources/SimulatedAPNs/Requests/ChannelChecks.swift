internal import LiveActivity

/// Checks of the channel that a request names, and of what a new one shall be (Docs/APNs.md 3.3).
extension SimulatedAPNs {
    func checkChannelID(_ inquiry: Inquiry) throws(Refusal) {
        guard let id = inquiry.fields.channelID else { throw Refusal(.missingChannelID) }
        guard !id.isEmpty, id.utf8.count <= Limits.channelIDBytes, Base64.decode(id.utf8) != nil
        else { throw Refusal(.badChannelID) }
    }

    func checkChannel(_ inquiry: Inquiry) throws(Refusal) {
        guard let id = inquiry.fields.channelID, let channel = channels[id],
            channel.bundleID == inquiry.app?.bundleID
        else { throw Refusal(.channelNotRegistered) }
    }

    func checkExpirationForPolicy(_ inquiry: Inquiry) throws(Refusal) {
        guard let id = inquiry.fields.channelID, channels[id]?.policy == StoragePolicy.none else { return }
        if inquiry.expirationMilliseconds != 0 { throw Refusal(.badExpirationDate) }
    }

    func checkChannelRequest(_ inquiry: inout Inquiry) throws(Refusal) {
        guard let members = parsed(inquiry.request.body)?.object else { throw Refusal(.badRequestPayload) }
        var policy: StoragePolicy?
        var pushType: String?
        for member in members {
            switch member.name {
            case "message-storage-policy":
                policy = member.value.integer.flatMap { Int(exactly: $0) }.flatMap(StoragePolicy.init)
                if policy == nil { throw Refusal(.badRequestParams) }
            case "push-type":
                guard let name = member.value.string else { throw Refusal(.invalidPushType) }
                pushType = name
            default: throw Refusal(.badRequestParams)
            }
        }
        guard let pushType else { throw Refusal(.missingPushType) }
        guard pushType.lowercased() == PushType.liveactivity.rawValue else { throw Refusal(.invalidPushType) }
        guard let policy else { throw Refusal(.badRequestParams) }
        inquiry.policy = policy
    }

    func checkChannelLimit(_ inquiry: Inquiry) throws(Refusal) {
        guard let app = inquiry.app, channelIDs[app.bundleID]?.count ?? 0 >= app.channelsMax else { return }
        throw Refusal(.cannotCreateChannelConfig)
    }
}
