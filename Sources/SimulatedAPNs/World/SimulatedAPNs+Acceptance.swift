internal import LiveActivity

extension SimulatedAPNs {
    /// Does what a faultless request asks for and says so.
    mutating func carryOut(_ inquiry: inout Inquiry) throws(Refusal) -> Answer {
        let fields = identity(of: &inquiry)
        switch inquiry.route {
        case .device: return push(inquiry, fields)
        case .broadcast: return broadcast(inquiry, fields)
        case .channels(let bundle):
            switch inquiry.fields.method {
            case "POST": return createChannel(bundle, inquiry, fields)
            case "GET": return readChannel(inquiry, fields)
            default: return deleteChannel(bundle, inquiry, fields)
            }
        case .allChannels(let bundle): return listChannels(bundle, fields)
        case nil: throw Refusal(.badPath)
        }
    }

    // MARK: - Device pushes

    private mutating func push(_ inquiry: Inquiry, _ fields: [Answer.Field]) -> Answer {
        noteMessageID(inquiry.fields.messageID)
        if var token = tokens[inquiry.token] {
            token.accepted += 1
            deliver(inquiry, to: &token)
            tokens[inquiry.token] = token
        }
        guard rules.environment == .sandbox else { return Answer(status: 200, fields: fields) }
        return Answer(status: 200, fields: fields + [Answer.Field("apns-unique-id", random.uuid().lowercased())])
    }

    private mutating func deliver(_ inquiry: Inquiry, to token: inout PushToken) {
        guard let reading = PayloadReading(inquiry.request.body) else {
            counters.unreadable += 1
            return
        }
        if let stamp = reading.stampSeconds {
            token.newestStampSeconds = max(stamp, token.newestStampSeconds ?? stamp)
        }
        switch token.kind {
        case .update(let index):
            let message = message(reading, schemas: activities[index].schema.map { [$0] } ?? [], inquiry.now)
            for released in Self.releases(message, faults.sabotage, holding: &activities[index].held) {
                send(Delivery(target: .activity(index), message: released), to: activities[index].device, inquiry)
            }
        case .start(let device, let type): start(reading, on: device, type, inquiry)
        case .ordinary(let device):
            let message = message(reading, schemas: [], inquiry.now)
            send(Delivery(target: .banner(device: device), message: message), to: device, inquiry)
        }
    }

    /// A start that the device will drop is dropped here; the sender got its 200 (Docs/APNs.md 4.7).
    private mutating func start(_ reading: PayloadReading, on device: Int, _ type: String, _ inquiry: Inquiry) {
        let schema = schemaIndex(type)
        let attributesDecode = schema.map { index in
            schemas[index].decodesAttributes(reading.attributes.span)
        }
        guard reading.event == .start, reading.stampSeconds != nil, !reading.alert.isEmpty, !reading.alertIsFlat,
            reading.attributesType == type, !reading.attributes.isEmpty, attributesDecode ?? true
        else {
            counters.startsDropped += 1
            return
        }
        let order = StartOrder(
            bundleID: inquiry.app?.bundleID ?? "", schema: schema,
            input: reading.inputChannel.map { .channel($0) } ?? .token)
        let message = message(reading, schemas: schema.map { [$0] } ?? [], inquiry.now)
        send(
            Delivery(target: .start(token: inquiry.token), message: message, start: order), to: device, inquiry)
    }

    // MARK: - Broadcasts

    private mutating func broadcast(_ inquiry: Inquiry, _ fields: [Answer.Field]) -> Answer {
        noteMessageID(inquiry.fields.requestID ?? inquiry.fields.messageID)
        if let id = inquiry.fields.channelID {
            if let reading = PayloadReading(inquiry.request.body) {
                publish(reading, on: id, inquiry)
            } else {
                counters.unreadable += 1
            }
        }
        return Answer(status: 200, fields: fields + [Answer.Field("apns-unique-id", random.uuid().lowercased())])
    }

    private mutating func noteMessageID(_ text: String?) {
        if let text, let id = UUIDBits(text), messageIDs.insert(id) { counters.acceptedTwice += 1 }
    }

    /// Makes the message that devices will see, judged once for every schema in use.
    private mutating func message(_ reading: PayloadReading, schemas used: [Int], _ now: Int64) -> Message {
        sequence += 1
        return Message(
            sequence: sequence, event: reading.event, stampSeconds: reading.stampSeconds, state: reading.state,
            ring: reading.ring, acceptedAtMilliseconds: now,
            verdicts: used.map { verdict($0, reading.state, reading.alertIsFlat) })
    }

    func verdict(_ index: Int, _ state: [UInt8], _ isDropped: Bool) -> Message.Verdict {
        let schema = schemas[index]
        guard !isDropped, schema.decodesState(state.span) else {
            return Message.Verdict(schema: index, decodes: false, monotone: nil)
        }
        let monotone = schema.monotoneField.flatMap { parsed(state)?[$0]?.double }
        return Message.Verdict(schema: index, decodes: true, monotone: monotone)
    }

    private mutating func publish(_ reading: PayloadReading, on id: String, _ inquiry: Inquiry) {
        guard var channel = channels.removeValue(forKey: id) else { return }
        defer { channels[id] = channel }
        let message = message(reading, schemas: channel.schemas, inquiry.now)
        channel.accepted += 1
        channel.newest = message
        if let stamp = message.stampSeconds {
            channel.newestStampSeconds = max(stamp, channel.newestStampSeconds ?? stamp)
        }
        if message.event == .end { channel.hasEnded = true }
        let expiration = min(
            inquiry.expirationMilliseconds ?? 0, inquiry.now + Limits.broadcastStoredMilliseconds)
        for released in Self.releases(message, faults.sabotage, holding: &channel.held) {
            if channel.policy == .mostRecent, expiration > inquiry.now {
                channel.stored = released
                channel.storedUntilMilliseconds = expiration
            }
            fanOut(released, channel, inquiry.now)
        }
    }

    /// What sabotage lets through now that `message` was accepted. Static, because a method would have to see all
    /// activities as they are while one changes: they would be copied for every push.
    private static func releases(
        _ message: Message, _ sabotage: Faults.Sabotage?, holding held: inout Message?
    ) -> [Message] {
        switch sabotage {
        case .dropLast:
            defer { held = message }
            guard let earlier = held, !earlier.saysTheSame(as: message) else { return [] }
            return [earlier]
        case .reorder:
            guard let earlier = held else {
                held = message
                return []
            }
            held = nil
            return [message, earlier]
        case .doubleRing, nil: return [message]
        }
    }

    // MARK: - Channels

    private mutating func createChannel(
        _ bundle: String, _ inquiry: Inquiry, _ fields: [Answer.Field]
    ) -> Answer {
        let added = try? addChannel(bundleID: bundle, policy: inquiry.policy, nowMilliseconds: inquiry.now)
        guard let id = added else { return .failure(Refusal(.cannotCreateChannelConfig), fields: fields) }
        return Answer(status: 201, fields: fields + [Answer.Field("apns-channel-id", id)])
    }

    private func readChannel(_ inquiry: Inquiry, _ fields: [Answer.Field]) -> Answer {
        let policy = channels[inquiry.fields.channelID ?? ""]?.policy ?? StoragePolicy.none
        return .json("{\"message-storage-policy\":\(policy.rawValue),\"push-type\":\"LiveActivity\"}", fields)
    }

    private mutating func deleteChannel(
        _ bundle: String, _ inquiry: Inquiry, _ fields: [Answer.Field]
    ) -> Answer {
        let id = inquiry.fields.channelID ?? ""
        channels[id] = nil
        channelIDs[bundle]?.removeAll { $0 == id }
        return Answer(status: 204, fields: fields)
    }

    private func listChannels(_ bundle: String, _ fields: [Answer.Field]) -> Answer {
        let list = (channelIDs[bundle] ?? []).map { "\"\($0)\"" }.joined(separator: ",")
        return .json("{\"channels\":[\(list)]}", fields)
    }
}

extension Answer {
    fileprivate static func json(_ text: String, _ fields: [Field]) -> Answer {
        Answer(status: 200, fields: fields + [Field("content-type", "application/json")], body: Array(text.utf8))
    }
}
