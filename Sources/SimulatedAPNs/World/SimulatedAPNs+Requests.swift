extension SimulatedAPNs {
    /// Judges a request, carries it out when nothing is wrong with it, and answers.
    public mutating func handle(_ request: Request, nowMilliseconds now: Int64, into effects: inout [Effect]) {
        let number = request.id.connection
        guard let phase = connections[number]?.phase else { return }
        guard phase == .open else { return refuseAfterGoAway(request, phase, &effects) }
        let idle = now - (connections[number]?.lastRequestMilliseconds ?? now)
        connections[number]?.requests += 1
        connections[number]?.lastRequestMilliseconds = now
        counters.requests += 1
        requestCount += 1
        guard !isChosen(faults.refusedOneIn) else {
            counters.resets += 1
            effects.append(.refuse(request.id))
            return
        }
        let (answer, refusal) = answer(to: request, idle: idle, now)
        if isChosen(faults.unansweredOneIn) {
            counters.unanswered += 1
        } else if faults.cutAfter > 0, connections[number]?.requests ?? 0 >= faults.cutAfter {
            counters.unanswered += 1
            connections[number]?.phase = .leaving
            effects.append(.cut(connection: number))
        } else {
            effects.append(.answer(request.id, answer))
        }
        settle(request.id, refusal, &effects)
        decideGoAway(request.id, &effects)
    }

    /// Whether a fault that hits one request in `oneIn` hits this one.
    private func isChosen(_ oneIn: Int) -> Bool { oneIn > 0 && requestCount % UInt64(oneIn) == 0 }

    private mutating func answer(
        to request: Request, idle: Int64, _ now: Int64
    ) -> (Answer, Refusal?) {
        let connection = connections[request.id.connection]
        var inquiry = Inquiry(request, listener: connection?.listener ?? .send, now)
        inquiry.certificate = connection?.certificate
        inquiry.idleMilliseconds = idle
        do throws(Refusal) {
            try judge(&inquiry)
            let answer = try carryOut(&inquiry)
            counters.accepted += 1
            return (answer, nil)
        } catch {
            counters.refuse(error.reason)
            return (.failure(error, fields: identity(of: &inquiry)), error)
        }
    }

    /// What an answer means for its connection: errors cost streams and in the end the connection, a success gives the streams
    /// back (Docs/APNs.md 1.3). It comes after the answer: until a request with a valid token has been answered there is one stream.
    private mutating func settle(_ id: RequestID, _ refusal: Refusal?, _ effects: inout [Effect]) {
        let number = id.connection
        guard let refusal else {
            if let errors = connections[number]?.errors, errors > 0 { connections[number]?.errors = errors - 1 }
            return setStreams(number, streamsAllowed, &effects)
        }
        if refusal.reason == .idleTimeout, connections[number]?.phase == .open {
            return sendGoAway(number, lastStream: id.stream, reason: .idleTimeout, into: &effects)
        }
        guard refusal.countsAgainstConnection else {
            guard let connection = connections[number], isTrusted(connection) else { return }
            return setStreams(number, streamsAllowed, &effects)
        }
        if rules.readings.errorsShrinkStreams {
            setStreams(number, 1, &effects)
        } else if let connection = connections[number], isTrusted(connection) {
            setStreams(number, streamsAllowed, &effects)
        }
        connections[number]?.errors += refusal.reason == .badDeviceToken ? Rules.deadTokenErrors : 1
        guard let limit = rules.errorsMax, let connection = connections[number], connection.errors >= limit,
            connection.phase == .open
        else { return }
        sendGoAway(number, lastStream: id.stream, reason: nil, into: &effects)
    }

    /// The field that names the request in its answer: `apns-id` for device pushes, `apns-request-id` for the others. What the
    /// client chose comes back as it is (aioapns, in wide use, finds its requests by that); what APNs chose was seen in upper case.
    mutating func identity(of inquiry: inout Inquiry) -> [Answer.Field] {
        let fields = inquiry.request.fields
        if inquiry.isDevicePush {
            return [Answer.Field("apns-id", fields.messageID ?? random.uuid())]
        }
        return [Answer.Field("apns-request-id", fields.requestID ?? fields.messageID ?? random.uuid())]
    }

    /// Streams of a connection whose token was accepted.
    var streamsAllowed: Int { faults.streams ?? rules.streamsMax }

    /// Whether its token was accepted, or its certificate is good.
    private func isTrusted(_ connection: Connection) -> Bool {
        connection.firstKey != nil || connection.certificate.map { $0.trouble(in: rules.environment) == nil } ?? false
    }

    /// Tells every connection with an accepted token how many streams it may have, after `faults.streams` was changed.
    public mutating func announceStreams(into effects: inout [Effect]) {
        for number in connections.keys.sorted() where connections[number].map(isTrusted) ?? false {
            setStreams(number, streamsAllowed, &effects)
        }
    }

    mutating func setStreams(_ number: UInt64, _ streams: Int, _ effects: inout [Effect]) {
        guard let connection = connections[number], connection.streams != streams, connection.phase == .open
        else { return }
        connections[number]?.streams = streams
        effects.append(.setMaxConcurrentStreams(connection: number, streams))
    }
}

// MARK: - GOAWAY

extension SimulatedAPNs {
    /// After a request that was carried out: is this the last one of its connection?
    private mutating func decideGoAway(_ id: RequestID, _ effects: inout [Effect]) {
        guard faults.goAwayAfter > 0, let connection = connections[id.connection], connection.phase == .open,
            connection.requests >= faults.goAwayAfter
        else { return }
        if faults.goAwayLag > 0 {
            connections[id.connection]?.phase = .refusing(lastStream: id.stream, remaining: faults.goAwayLag)
        } else {
            sendGoAway(id.connection, lastStream: id.stream, reason: faults.goAwayReason, into: &effects)
        }
    }

    /// Requests above the last stream are dropped unseen; the GOAWAY leaves when enough of them came.
    private mutating func refuseAfterGoAway(
        _ request: Request, _ phase: Connection.Phase, _ effects: inout [Effect]
    ) {
        counters.unprocessed += 1
        guard case .refusing(let lastStream, let remaining) = phase else { return }
        if remaining > 1 {
            connections[request.id.connection]?.phase = .refusing(lastStream: lastStream, remaining: remaining - 1)
        } else {
            sendGoAway(request.id.connection, lastStream: lastStream, reason: faults.goAwayReason, into: &effects)
        }
    }

    /// Sends the GOAWAY of a connection that waits for requests which may never come; the shell calls it after a short while.
    public mutating func flushGoAway(connection number: UInt64, into effects: inout [Effect]) {
        guard case .refusing(let lastStream, _)? = connections[number]?.phase else { return }
        sendGoAway(number, lastStream: lastStream, reason: faults.goAwayReason, into: &effects)
    }

    /// Connections whose GOAWAY is decided but not sent.
    public var connectionsOwingGoAway: [UInt64] {
        connections.filter { if case .refusing = $0.value.phase { true } else { false } }.keys.sorted()
    }

    mutating func sendGoAway(
        _ number: UInt64, lastStream: Int32, reason: Reason?, into effects: inout [Effect]
    ) {
        connections[number]?.phase = .leaving
        counters.goAways += 1
        let debugData = reason.map { "{\"reason\":\"\($0.rawValue)\"}" } ?? ""
        effects.append(.goAway(connection: number, lastStream: lastStream, debugData: debugData))
    }

    /// Tells every connection to leave in an orderly way (`Shutdown`).
    public mutating func shutDown(into effects: inout [Effect]) {
        for number in connections.keys.sorted() where connections[number]?.phase == .open {
            sendGoAway(number, lastStream: .max, reason: .shutdown, into: &effects)
        }
    }
}
