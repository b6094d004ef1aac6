import Codes
import Wire

@testable import CarillonClient

/// The session machine, driven by hand with a clock of our own.
struct SessionDriver {
    var session: ClientSession
    var effects: [ClientEffect] = []
    var now: Int64 = 1000

    init(nodes: Int = 1) {
        session = ClientSession(
            name: "t", nodes: nodes,
            patience: ClientSession.Patience(
                answerMilliseconds: 10_000, resendMilliseconds: 3000, connectMilliseconds: 3000),
            now: 1000)
    }

    mutating func open(credit: Int = 10) {
        session.connected(now: now, into: &effects)
        ready(credit: credit)
    }

    mutating func ready(credit: Int = 10) {
        guard case .greeting(let sequence, _) = session.phase else { return }
        receive(.ready(Ready(sequence: sequence, node: "n", software: "s", credit: credit)))
    }

    mutating func receive(_ message: NodeMessage) {
        session.receive(message, now: now, into: &effects)
        session.pump(now: now, into: &effects)
    }

    mutating func submit(_ event: Publish, tag: UInt64) {
        session.submit(Submission(publish: event, ticket: .tag(tag), deadline: now + 10_000), into: &effects)
        session.pump(now: now, into: &effects)
    }

    mutating func ack(_ sequence: Int64) {
        receive(.ack(Ack(sequence: sequence, instance: 1, epoch: 1, version: 1, copies: 1)))
    }

    mutating func nack(_ code: Code, _ sequence: Int64, retry: Int64? = nil) {
        receive(.nack(Nack(code, sequence: sequence, retryMilliseconds: retry)))
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        session.tick(now: now, into: &effects)
        session.pump(now: now, into: &effects)
    }

    /// Numbers of the publishes sent since the last call.
    mutating func sent() -> [Int64] {
        take { if case .send(.publish(let publish)) = $0 { publish.sequence } else { nil } }
    }

    /// Results since the last call: the tag, and the code unless acknowledged.
    mutating func results() -> [String] {
        take { effect in
            guard case .settle(.tag(let tag), let result) = effect else { return nil }
            if case .failure(let refusal) = result { return "\(tag) \(refusal.fault.code.slug)" }
            return "\(tag)"
        }
    }

    mutating func commands() -> [String] {
        take { effect in
            switch effect {
            case .send(.hello): "hello"
            case .send(.bye): "bye"
            case .send(.ping): "ping"
            case .changeNode: "change"
            case .close: "close"
            default: nil
            }
        }
    }

    private mutating func take<Value>(_ pick: (ClientEffect) -> Value?) -> [Value] {
        defer { effects.removeAll { pick($0) != nil } }
        return effects.compactMap(pick)
    }
}
