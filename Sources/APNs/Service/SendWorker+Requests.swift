internal import Codes
internal import Delivery
internal import HTTP2
internal import LiveActivity
internal import Loops

/// Requests: from a lane to a connection, and the outcome back.
extension SendWorker {
    /// By far most answers: judged once.
    private static let accepted = AnswerClassifier.classify(.device, Answer(status: 200))

    func readyCount(_ origin: Origin) -> Int {
        origin.outlets.reduce(0) { $0 + lanes.readyCount($1) }
    }

    /// Sends as much as the pools have room for.
    mutating func dispatch() {
        for at in origins.indices {
            guard readyCount(origins[at]) > 0, origins[at].prepare(now) else {
                origins[at].need(0, now)
                continue
            }
            origins[at].turn += 1
            let outlets = origins[at].outlets
            for offset in 0..<outlets.count {
                let room = origins[at].pool.room
                if room == 0 { break }
                let outlet = outlets[(origins[at].turn + offset) % outlets.count]
                lanes.dispatch(outlet, atMost: room, now: now, into: &laneEffects)
                runLaneEffects()
            }
            let waiting = readyCount(origins[at])
            origins[at].need(waiting, now)
        }
        settle()
    }

    mutating func runLaneEffects() {
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

    private mutating func send(_ id: SendID, _ destination: Destination, _ item: PushItem) {
        let at = originOfOutlet[Int(destination.app) * 2 + (destination.kind == .channel ? 1 : 0)]
        var body: [UInt8] = []
        guard
            item.layout.render(item.payload.span, stampSeconds: item.stampSeconds, quiet: item.quiet, into: &body)
        else {
            let answer = Answer(status: 400, reason: Reason("LayoutMismatch"))
            lanes.answered(id, AnswerClassifier.classify(.device, answer), now: now, into: &laneEffects)
            return
        }
        guard let link = origins[at].choose() else {
            lanes.failed(id, .unprocessed, now: now, into: &laneEffects)
            return
        }
        let tag = flights.insert(
            FlightTable.Flight(
                send: id, operation: Operation(destination.kind), outlet: at, connection: link.tag,
                tokenGeneration: origins[at].requests.generation, startedNanoseconds: nanoseconds))
        let identifier = identifiers.halves(of: item, to: destination)
        guard
            origins[at].submit(
                item, to: destination, identifier: identifier, body: body, on: link, tag: tag, now)
        else {
            _ = flights.remove(tag)
            lanes.failed(id, .unprocessed, now: now, into: &laneEffects)
            return
        }
        turnCount += 1
        soil(link)
    }

    mutating func answered(_ response: ClientResponse, _ link: Link, _ at: Int) {
        guard let flight = flights.remove(response.tag) else { return }
        turnCount += 1
        var verdict = Self.accepted
        if response.status != 200 {
            verdict = AnswerClassifier.classify(flight.operation, AnswerReader.answer(response))
            origins[at].context.judge(verdict, tokenGeneration: flight.tokenGeneration, now)
        }
        origins[at].answered(
            verdict, on: link, tokenGeneration: flight.tokenGeneration,
            nanoseconds: nanoseconds - flight.startedNanoseconds, now)
        lanes.answered(flight.send, verdict, now: now, into: &laneEffects)
        if nanoseconds - lastDateNanoseconds >= 1_000_000_000, let date = response.headers["date"] {
            lastDateNanoseconds = nanoseconds
            origins[at].context.reporter.observe(date: date, wallMilliseconds: now.wallMilliseconds)
        }
    }

    mutating func failed(_ tag: UInt64, _ failure: StreamFailure, _ link: Link, _ at: Int) {
        guard let flight = flights.remove(tag) else { return }
        turnCount += 1
        let end: RequestEnd = flight.cancelled ? .timedOut : .reset
        origins[at].requestFinished(link.id, end, now)
        switch failure {
        case .unprocessed:
            origins[at].figures.unprocessed += 1
            lanes.failed(flight.send, .unprocessed, now: now, into: &laneEffects)
        case .unknown, .responseTooLarge:
            origins[at].figures.answersLost += 1
            lanes.failed(flight.send, .unknown, now: now, into: &laneEffects)
        }
    }

    /// Cancels requests whose time is over; their connection reports them at its next flush.
    mutating func expire() {
        while let (tag, flight) = flights.expire(departedBefore: nanoseconds - timeoutNanoseconds) {
            origins[flight.outlet].figures.timeouts += 1
            guard let link = links[flight.connection] else { continue }
            link.connection.cancel(tag: tag)
            soil(link)
        }
    }
}
