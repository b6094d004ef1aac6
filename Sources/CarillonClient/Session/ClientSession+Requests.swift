import Codes
import Wire

/// A request other than `publish`.
struct ClientRequest: Sendable {
    /// What the shell calls it.
    let waiter: UInt64
    /// The message with its number.
    let message: ProducerMessage
    /// When the caller must have a result.
    let deadline: Int64
    /// Whether it was sent in this session.
    var isSent = false
    /// Not to be sent before: the node asked for patience.
    var notBefore: Int64 = 0
    /// Why it was put off last.
    var refusal: Refusal?
}

extension ClientSession {
    /// A request is handed over; `make` builds it with its number.
    mutating func request(
        waiter: UInt64, deadline: Int64, into effects: inout [ClientEffect], _ make: (Int64) -> ProducerMessage
    ) {
        guard !isClosing, phase != .closed else {
            effects.append(.answer(waiter, .failure(Refusal(Fault(.clientClosed)))))
            return
        }
        let sequence = takeRequestNumber()
        requests[sequence] = ClientRequest(waiter: waiter, message: make(sequence), deadline: deadline)
    }

    mutating func sendRequests(_ now: Int64, _ effects: inout [ClientEffect]) {
        guard !requests.isEmpty else { return }
        var sent = requests.values.reduce(0) { $0 + ($1.isSent ? 1 : 0) }
        for (sequence, request) in requests.sorted(by: { $0.key < $1.key })
        where !request.isSent && request.notBefore <= now {
            guard sent < Self.requestsMax else { return }
            sent += 1
            requests[sequence]?.isSent = true
            effects.append(.send(request.message))
        }
    }

    /// A request was refused: for now, when the node says when to ask again and there is time left for it. Nothing was
    /// carried out, so it can be sent again as it is.
    mutating func refuseRequest(_ nack: Nack, _ sequence: Int64, _ now: Int64, _ effects: inout [ClientEffect]) {
        guard let request = requests[sequence], let wait = nack.retryMilliseconds, now + wait < request.deadline else {
            return finishRequest(sequence, .failure(Refusal(nack)), &effects)
        }
        requests[sequence]?.isSent = false
        requests[sequence]?.notBefore = now + wait
        requests[sequence]?.refusal = Refusal(nack)
    }

    /// An answer that is no `nack`.
    mutating func answer(_ message: NodeMessage, _ effects: inout [ClientEffect]) {
        guard let sequence = message.sequence, requests[sequence] != nil else {
            statistics.unexpected += 1
            return
        }
        finishRequest(sequence, .success(message), &effects)
    }

    mutating func finishRequest(
        _ sequence: Int64, _ result: Result<NodeMessage, Refusal>, _ effects: inout [ClientEffect]
    ) {
        guard let request = requests.removeValue(forKey: sequence) else {
            statistics.unexpected += 1
            return
        }
        effects.append(.answer(request.waiter, result))
    }

    mutating func expireRequests(_ now: Int64, _ effects: inout [ClientEffect]) {
        guard !requests.isEmpty else { return }
        for (sequence, request) in requests.sorted(by: { $0.key < $1.key }) where request.deadline <= now {
            finishRequest(sequence, .failure(request.refusal ?? Refusal(Fault(.noAnswer))), &effects)
        }
    }
}
