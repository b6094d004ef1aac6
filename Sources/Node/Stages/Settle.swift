internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import Loops
internal import Messaging
internal import Telemetry
internal import Wire

/// Settle: outcomes are recorded by the core, answers and receipts go to their producers, what an operator should know
/// to the log.
extension CoreLoop {
    /// Gives the core what the lanes report.
    func takeReports(now: Moment) {
        reports.take(into: &reportBatch)
        for batch in reportBatch { core.handle(.report(batch), now: now, into: &effects) }
    }

    /// Answers a request; its session may be gone, then nobody hears it.
    func reply(_ origin: UInt64, _ reply: Reply) {
        guard let request = requests.take(origin) else { return }
        if case .lossAccepted(let stuck) = reply {
            return finish(request, .nodeStatus(sequence: request.sequence, document: document(of: stuck)))
        }
        finish(request, NodeMessage(reply, to: request))
    }

    /// Gives an answer to whoever asked.
    func finish(_ request: PendingRequest, _ message: NodeMessage) {
        guard case .joint(let joint, let half) = request.caller else {
            return finish(request, frames: message.frames())
        }
        guard let (whole, answer) = joints.answer(joint, half, message) else { return }
        finish(whole, answer)
    }

    /// The same with an answer that another node wrote.
    func finish(_ request: PendingRequest, frames: [[UInt8]]) {
        switch request.caller {
        case .session(let serial):
            guard let session = sessions[serial] else { return }
            if case .publish = request.kind {
                session.credit.answerPublish()
                answerNanoseconds.record(Clock.monotonicNanoseconds() - request.takenAtNanoseconds)
            } else {
                session.credit.answerRequest()
            }
            send(frames, to: session.identity)
        case .peer(let call): tell(call, frames)
        case .joint:
            switch NodeMessage.decode(frames) {
            case .success(let message): finish(request, message)
            case .failure(let fault): finish(request, .nack(Nack(fault)))
            }
        }
    }

    /// Tells the producer of an event what became of it, if it asked for receipts; best effort.
    func send(_ receipt: Receipt) {
        guard let origin = receipt.origin, RequestTable.wantsReceipts(origin), let id = EventID(bytes: receipt.eventID)
        else { return }
        let report = EventReport(
            key: receipt.key, id: id, outcome: Outcome(receipt.outcome), reason: receipt.outcome.reason,
            atMilliseconds: Clock.wallMilliseconds(), counts: EventReport.Counts(receipt.tally))
        let frames = NodeMessage.receipt(report).frames()
        let own = RequestTable.session(of: origin)
        if own == 0 {
            if let call = receiptRoutes[origin] { tell(call, frames, isAnswer: false) }
        } else if let session = sessions[own] ?? sessions.newest(user: receipt.producer) {
            sendReceipt(frames, to: session)
        }
    }

    /// Sends a receipt; one that finds the producer's queue full is dropped.
    func sendReceipt(_ frames: [[UInt8]], to session: Session) {
        if port.send(frames, to: session.identity) == .sent {
            counters.receipts += 1
        } else {
            counters.receiptsDropped += 1
            session.receiptsDropped += 1
        }
    }

    /// Sends one message; a producer that is gone loses its session.
    func answer(_ message: NodeMessage, to identity: [UInt8]) { send(message.frames(), to: identity) }

    private func send(_ frames: [[UInt8]], to identity: [UInt8]) {
        if port.send(frames, to: identity) == .unreachable, let session = sessions.session(of: identity) {
            sessions.close(session)
        }
    }

    /// Writes what the core found worth logging.
    func note(_ notice: Notice) {
        func app(_ index: UInt16) -> LogValue { .string(settings.apps[Int(index)].name) }
        switch notice {
        case .storeFailed(let batch):
            log.error("events refused, disk failing", stage: .replicate, ["batch": .count(batch)])
        case .rowLeftOut(let shard, let fault):
            log.error(
                "row left out", stage: .replicate,
                ["shard": .count(shard), "code": .string(fault.code.id), "error": .text(fault)])
        case .channelCreated(let index): log.notice("channel created", stage: .settle, ["app": app(index)])
        case .channelAdopted(let index): log.warning("channel adopted", stage: .settle, ["app": app(index)])
        case .channelLost(let index): log.error("channel gone at APNs", stage: .settle, ["app": app(index)])
        case .channelsUnknown(let index, let count):
            log.warning("APNs has unknown channels", stage: .settle, ["app": app(index), "count": .count(count)])
        case .channelTrouble(let index, let reason):
            log.warning(
                "channel operation failed", stage: .dispatch, ["app": app(index), "apns.reason": .string(reason)])
        case .tokenGone(let index, let status, let reason):
            log.info(
                "token removed", stage: .settle,
                ["app": app(index), "apns.status": .count(status), "apns.reason": .string(reason)])
        case .tokenQuarantined(let index, let fault, let reason):
            let environment = settings.apps[Int(index)].environment
            log.warning(
                "token quarantined", stage: .settle,
                [
                    "app": app(index), "reason": .string(fault.name), "apns.reason": .string(reason),
                    "text": .string(
                        fault == .wrongEnvironment
                            ? "no token of the environment \(environment.rawValue): \(environment.tokenOrigin)"
                            : "a token of another app than bundle_id \(settings.apps[Int(index)].bundleID)"),
                ])
        case .startOverdue(let index, let waited):
            log.warning(
                "no update token after a start", stage: .settle, ["app": app(index), "waited_ms": .count(waited)])
        case .startLimited(let index):
            log.warning(
                "start not sent", stage: .admit,
                ["app": app(index), "starts_per_device_hour": .count(settings.limits.startsPerDeviceHour)])
        case .refused(let index, let status, let reason):
            log.warning(
                "event refused by APNs", stage: .settle,
                ["app": app(index), "apns.status": .count(status), "apns.reason": .string(reason)])
        }
    }
}

extension PushEnvironment {
    /// Which builds of an app bring tokens of this environment, and of which other one the token may be
    /// (Docs/APNs.md 1.1).
    fileprivate var tokenOrigin: String {
        switch self {
        case .production:
            "builds from TestFlight and the App Store bring production tokens; one of a debug build is of sandbox"
        case .sandbox:
            "debug builds bring sandbox tokens; one from TestFlight or the App Store is of production"
        case .simulator: "it was not made by this simulator, or is marked as of another environment"
        }
    }
}
