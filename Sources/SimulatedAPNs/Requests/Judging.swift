extension SimulatedAPNs {
    /// Goes through the checks in their order.
    mutating func judge(_ inquiry: inout Inquiry) throws(Refusal) {
        inquiry.route = Route(inquiry.fields.path, on: inquiry.listener)
        try checkIdle(inquiry)
        guard let route = inquiry.route else { throw Refusal(.badPath) }
        guard route.allows(inquiry.fields.method) else { throw Refusal(.methodNotAllowed) }
        for check in checks(of: route, inquiry.fields.method) {
            try perform(check, &inquiry)
            if check == .tokenUpdates { acceptToken(inquiry) }
        }
    }

    private func checks(of route: Route, _ method: String) -> [Check] {
        switch route {
        case .device: Check.device
        case .broadcast: Check.broadcast
        case .channels: method == "POST" ? Check.createChannel : Check.oneChannel
        case .allChannels: Check.allChannels
        }
    }

    private mutating func perform(_ check: Check, _ inquiry: inout Inquiry) throws(Refusal) {
        switch check {
        case .idle, .path, .method: break
        case .duplicateHeaders: if inquiry.fields.hasDuplicates { throw Refusal(.duplicateHeaders) }
        case .certificate: try checkCertificate(inquiry)
        case .providerToken: try checkProviderToken(&inquiry)
        case .keyScope: try checkKeyScope(inquiry)
        case .tokenAge: try checkTokenAge(inquiry)
        case .tokenUpdates: try checkTokenUpdates(inquiry)
        case .burst: try checkBurst()
        case .messageID: try checkMessageID(inquiry)
        case .deviceTokenPresent: try checkDeviceTokenPresent(inquiry)
        case .pushType: try checkPushType(&inquiry)
        case .topic: try checkTopic(&inquiry)
        case .bundleID: try checkBundleID(&inquiry)
        case .broadcastFeature:
            if inquiry.app?.broadcastEnabled != true { throw Refusal(.featureNotEnabled) }
        case .operationRate: try checkOperationRate(inquiry)
        case .priority: try checkPriority(inquiry)
        case .expiration: try checkExpiration(&inquiry)
        case .collapseID: try checkCollapseID(inquiry)
        case .payloadPresent: if inquiry.request.bodyLength == 0 { throw Refusal(.payloadEmpty) }
        case .payloadSize:
            if inquiry.request.bodyLength > inquiry.route?.payloadBytesMax ?? 0 { throw Refusal(.payloadTooLarge) }
        case .payloadReadable: try checkPayloadReadable(inquiry)
        case .deviceToken: try checkDeviceToken(&inquiry)
        case .tokenTopic: try checkTokenTopic(inquiry)
        case .tokenLife: try checkTokenLife(inquiry)
        case .channelID: try checkChannelID(inquiry)
        case .channel: try checkChannel(inquiry)
        case .expirationForPolicy: try checkExpirationForPolicy(inquiry)
        case .channelRequest: try checkChannelRequest(&inquiry)
        case .channelLimit: try checkChannelLimit(inquiry)
        case .rate: try checkRate(inquiry)
        }
    }

    /// A burst of refusals, as long as it lasts.
    private mutating func checkBurst() throws(Refusal) {
        guard faults.burstRemaining > 0 else { return }
        faults.burstRemaining -= 1
        throw Refusal(faults.burstReason, retryAfterSeconds: faults.burstRetryAfterSeconds, isOrdered: true)
    }
}
