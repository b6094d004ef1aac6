internal import LiveActivity

extension SimulatedAPNs {
    func checkMessageID(_ inquiry: Inquiry) throws(Refusal) {
        if let id = inquiry.fields.messageID, UUIDBits(id) == nil { throw Refusal(.badMessageID) }
        if let id = inquiry.fields.requestID, UUIDBits(id) == nil { throw Refusal(.badMessageID) }
    }

    func checkDeviceTokenPresent(_ inquiry: Inquiry) throws(Refusal) {
        if case .device(let token) = inquiry.route, token.isEmpty { throw Refusal(.missingDeviceToken) }
    }

    /// Missing on a device push: taken from the topic. Broadcasts know `liveactivity` only, in any case of letters, as
    /// Apple's own texts spell it three ways (Docs/APNs.md 3.2).
    func checkPushType(_ inquiry: inout Inquiry) throws(Refusal) {
        if inquiry.isDevicePush {
            guard let name = inquiry.fields.pushType else {
                let isLive = inquiry.fields.topic?.hasSuffix(PushType.liveActivitySuffix) ?? false
                inquiry.pushType = isLive ? .liveactivity : .alert
                return
            }
            guard let type = PushType(rawValue: name) else { throw Refusal(.invalidPushType) }
            inquiry.pushType = type
        } else {
            guard let name = inquiry.fields.pushType else { throw Refusal(.missingPushType) }
            guard name.lowercased() == PushType.liveactivity.rawValue else { throw Refusal(.invalidPushType) }
        }
    }

    func checkTopic(_ inquiry: inout Inquiry) throws(Refusal) {
        // Only a certificate can leave no choice.
        let onlyTopic = inquiry.certificate.flatMap { $0.topics.count == 1 ? $0.topics.first : nil }
        guard let topic = inquiry.fields.topic ?? onlyTopic else { throw Refusal(.missingTopic) }
        guard !topic.isEmpty, topic.utf8.allSatisfy(isTopicByte) else { throw Refusal(.badTopic) }
        guard let bundle = inquiry.pushType.bundleID(in: topic), let app = apps[String(bundle)],
            inquiry.covers(app, topic: topic)
        else { throw Refusal(.topicDisallowed) }
        inquiry.app = app
    }

    func checkBundleID(_ inquiry: inout Inquiry) throws(Refusal) {
        guard let bundle = inquiry.route?.bundleID else { return }
        if bundle.hasSuffix(PushType.liveActivitySuffix) { throw Refusal(.topicDisallowed) }
        guard let app = apps[bundle], inquiry.covers(app, topic: app.liveActivityTopic)
        else { throw Refusal(.topicMismatch) }
        inquiry.app = app
    }

    func checkPriority(_ inquiry: Inquiry) throws(Refusal) {
        guard let priority = inquiry.fields.priority else {
            if !inquiry.isDevicePush, rules.readings.refusesIncompleteBroadcasts { throw Refusal(.badPriority) }
            return
        }
        guard priority == "10" || priority == "5" || priority == "1" else { throw Refusal(.badPriority) }
    }

    func checkExpiration(_ inquiry: inout Inquiry) throws(Refusal) {
        guard let text = inquiry.fields.expiration else {
            if inquiry.isDevicePush { return }
            if rules.readings.refusesIncompleteBroadcasts { throw Refusal(.badExpirationDate) }
            inquiry.expirationMilliseconds = 0
            return
        }
        guard let seconds = Int64(text), (0...Int64.max / 1000).contains(seconds)
        else { throw Refusal(.badExpirationDate) }
        inquiry.expirationMilliseconds = seconds * 1000
    }

    func checkCollapseID(_ inquiry: Inquiry) throws(Refusal) {
        if let id = inquiry.fields.collapseID, id.utf8.count > Limits.collapseIDBytes {
            throw Refusal(.badCollapseID)
        }
    }

    func checkPayloadReadable(_ inquiry: Inquiry) throws(Refusal) {
        guard rules.readings.refusesUnreadableBodies else { return }
        if parsed(inquiry.request.body)?.object == nil { throw Refusal(.badRequestPayload) }
    }

    func checkDeviceToken(_ inquiry: inout Inquiry) throws(Refusal) {
        guard case .device(let text) = inquiry.route else { return }
        let token = text.lowercased()
        let isHex = token.utf8.count % 2 == 0 && token.utf8.allSatisfy { hexValue($0) != nil }
        guard isHex, Limits.tokenBytes.contains(token.utf8.count / 2) else { throw Refusal(.badDeviceToken) }
        inquiry.token = token
        guard let known = tokens[token] else {
            if rules.acceptsUnknownTokens { return }
            throw Refusal(.badDeviceToken)
        }
        if known.life == .foreign { throw Refusal(.badDeviceToken) }
    }

    /// A Live Activity token takes its app's Live Activity topic, an ordinary token any other of its app.
    func checkTokenTopic(_ inquiry: Inquiry) throws(Refusal) {
        guard let token = tokens[inquiry.token] else { return }
        let isOrdinary = if case .ordinary = token.kind { true } else { false }
        guard token.bundleID == inquiry.app?.bundleID, isOrdinary == (inquiry.pushType != .liveactivity)
        else { throw Refusal(.deviceTokenNotForTopic) }
    }

    func checkTokenLife(_ inquiry: Inquiry) throws(Refusal) {
        guard let token = tokens[inquiry.token] else { return }
        switch token.life {
        case .unregistered(let since): throw Refusal(.unregistered, sinceMilliseconds: since)
        case .expired(let since): throw Refusal(.expiredToken, sinceMilliseconds: since)
        case .active, .foreign: break
        }
        guard rules.readings.endedTokensAreUnregistered, case .update(let index) = token.kind,
            activities[index].hasEnded
        else { return }
        throw Refusal(.unregistered, sinceMilliseconds: activities[index].shownAtMilliseconds)
    }

    mutating func checkOperationRate(_ inquiry: Inquiry) throws(Refusal) {
        guard let burst = rules.manageBurst, let app = inquiry.app else { return }
        let isTaken = operations[app.bundleID, default: Bucket()].take(
            burst: burst, refillMilliseconds: rules.pushRefillMilliseconds, nowMilliseconds: inquiry.now)
        if !isTaken { throw Refusal(.tooManyRequests) }
    }

    mutating func checkRate(_ inquiry: Inquiry) throws(Refusal) {
        guard let burst = rules.pushBurst else { return }
        let refill = rules.pushRefillMilliseconds
        let taken: Bool?
        if inquiry.isDevicePush {
            taken = tokens[inquiry.token]?.bucket.take(
                burst: burst, refillMilliseconds: refill, nowMilliseconds: inquiry.now)
        } else {
            taken = channels[inquiry.fields.channelID ?? ""]?.bucket.take(
                burst: burst, refillMilliseconds: refill, nowMilliseconds: inquiry.now)
        }
        if taken == false { throw Refusal(.tooManyRequests) }
    }
}

/// Bundle IDs and their suffixes consist of these.
private func isTopicByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
    default: false
    }
}
