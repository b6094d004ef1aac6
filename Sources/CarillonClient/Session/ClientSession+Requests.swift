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

    mutating func sendRequests(_ effects: inout [ClientEffect]) {
        guard !requests.isEmpty else { return }
        var sent = requests.values.reduce(0) { $0 + ($1.isSent ? 1 : 0) }
        for (sequence, request) in requests.sorted(by: { $0.key < $1.key }) where !request.isSent {
            guard sent < Self.requestsMax else { return }
            sent += 1
            requests[sequence]?.isSent = true
            effects.append(.send(request.message))
        }
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
            finishRequest(sequence, .failure(Refusal(Fault(.noAnswer))), &effects)
        }
    }
}
