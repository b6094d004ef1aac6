internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops
internal import Telemetry

/// Requests: from a lane to a connection, and the outcome back.
extension SendWorker {
    func readyCount(_ origin: Origin) -> Int {
        origin.outlets.reduce(0) { $0 + lanes.readyCount($1) }
    }

    /// Sends as much as the pools have room for.
    func dispatch() {
        for origin in origins {
            guard readyCount(origin) > 0, origin.prepare(now) else {
                origin.pool.need(waiting: 0, now: now, into: &origin.effects)
                continue
            }
            origin.turn += 1
            for offset in 0..<origin.outlets.count {
                let outlet = origin.outlets[(origin.turn + offset) % origin.outlets.count]
                let room = origin.pool.room
                if room == 0 { break }
                lanes.dispatch(outlet, atMost: room, now: now, into: &laneEffects)
                runLaneEffects()
            }
            origin.pool.need(waiting: readyCount(origin), now: now, into: &origin.effects)
        }
        settle()
    }

    func runLaneEffects() {
        var effects: [LaneEffect] = []
        swap(&effects, &laneEffects)
        for effect in effects {
            switch effect {
            case .report(let report): reports.append(report)
            case .send(let id, let destination, let item): send(id, destination, item)
            }
        }
        effects.removeAll(keepingCapacity: true)
        // What was decided meanwhile comes after what was decided before.
        if laneEffects.isEmpty { swap(&effects, &laneEffects) }
    }

    private func send(_ id: SendID, _ destination: Destination, _ item: PushItem) {
        let index = originOfOutlet[Int(destination.app) * 2 + (destination.kind == .channel ? 1 : 0)]
        let origin = origins[index]
        guard let request = origin.request(item, to: destination, identifiers) else {
            let answer = Answer(status: 400, reason: Reason("LayoutMismatch"))
            lanes.answered(id, AnswerClassifier.classify(.device, answer), now: now, into: &laneEffects)
            return
        }
        guard let connection = origin.pool.choose(), let link = origin.links[connection] else {
            lanes.failed(id, .unprocessed, now: now, into: &laneEffects)
            return
        }
        let tag = flights.insert(
            FlightTable.Flight(
                send: id, operation: Operation(destination.kind), outlet: index, connection: link.tag,
                tokenGeneration: origin.requests?.generation ?? 0, startedNanoseconds: nanoseconds))
        guard link.connection.submit(request, tag: tag) else {
            _ = flights.remove(tag)
            lanes.failed(id, .unprocessed, now: now, into: &laneEffects)
            return
        }
        origin.pool.requestStarted(connection, now: now, into: &origin.effects)
        origin.figures.requests += 1
        turnCount += 1
        soil(link)
    }

    func answered(_ response: ClientResponse, _ link: Link, _ origin: Origin) {
        guard let flight = flights.remove(response.tag) else { return }
        turnCount += 1
        let answer = AnswerReader.answer(response)
        let verdict = AnswerClassifier.classify(flight.operation, answer)
        origin.figures.latency.record(nanoseconds - flight.startedNanoseconds)
        if verdict.isAccepted {
            origin.figures.accepted += 1
        } else {
            origin.figures.countRefusal(answer)
            origin.context.judge(verdict, tokenGeneration: flight.tokenGeneration, now)
        }
        if verdict.provesCredentials { origin.believedGeneration = flight.tokenGeneration }
        if nanoseconds - lastDateNanoseconds >= 1_000_000_000, let date = response.headers["date"] {
            lastDateNanoseconds = nanoseconds
            origin.context.reporter.observe(date: date, wallMilliseconds: now.wallMilliseconds)
        }
        origin.pool.requestFinished(link.id, .answered(verdict), now: now, into: &origin.effects)
        lanes.answered(flight.send, verdict, now: now, into: &laneEffects)
    }

    func failed(_ tag: UInt64, _ failure: StreamFailure, _ link: Link, _ origin: Origin) {
        guard let flight = flights.remove(tag) else { return }
        turnCount += 1
        let end: RequestEnd = flight.cancelled ? .timedOut : .reset
        origin.pool.requestFinished(link.id, end, now: now, into: &origin.effects)
        switch failure {
        case .unprocessed:
            origin.figures.unprocessed += 1
            lanes.failed(flight.send, .unprocessed, now: now, into: &laneEffects)
        case .unknown, .responseTooLarge:
            origin.figures.answersLost += 1
            lanes.failed(flight.send, .unknown, now: now, into: &laneEffects)
        }
    }

    /// Cancels requests whose time is over; their connection reports them at its next flush.
    func expire() {
        while let (tag, flight) = flights.expire(departedBefore: nanoseconds - timeoutNanoseconds) {
            origins[flight.outlet].figures.timeouts += 1
            guard let link = links[flight.connection] else { continue }
            link.connection.cancel(tag: tag)
            soil(link)
        }
    }
}
