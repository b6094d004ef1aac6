import Cluster
import LiveActivity
import Wire

/// The producer of one key: numbers its events, repeats what is not answered, and goes on with a next instance after
/// an end. Three give the number as revision and do not wait for answers; the fourth relies on its event IDs alone and
/// sends nothing new before the last event is answered.
struct WorldProducer {
    struct Sent {
        var number: Int
        var instance: Int
        var event: EventKind
        var at: Int64
    }

    let key: Key
    let index: Int
    let period: Int64
    var instance = 1
    var number = 0
    /// By origin.
    var unanswered: [UInt64: Sent] = [:]
    /// Newest acknowledged number by instance, and which instances have an acknowledged end.
    var acknowledged: [Int: Int] = [:]
    var ended: Set<Int> = []
    var waitsForEnd = false
    var acknowledgements = 0

    /// The next event, or nil while the end is not answered.
    mutating func next(_ dice: inout Dice, at now: Int64) -> Sent? {
        guard !waitsForEnd, hasRevisions || unanswered.isEmpty else { return nil }
        number += 1
        let ends = instance < 3 && dice.below(250) == 0
        if ends { waitsForEnd = true }
        return Sent(number: number, instance: instance, event: ends ? .end : .update, at: now)
    }

    var hasRevisions: Bool { index != 3 }

    func input(_ sent: Sent, origin: UInt64) -> PublishInput {
        let alert = sent.number % (hasRevisions ? 7 : 2) == 0
        let layout = PayloadLayout(
            stampOffset: 0, stampLength: 0, stampInsertion: .alone, alertOffset: alert ? 1 : 0,
            alertLength: alert ? 1 : 0)
        return PublishInput(
            origin: origin, producer: [1], app: 0, key: key, instance: UInt32(sent.instance),
            eventID: [UInt8(index)] + Self.bytes(sent.instance) + Self.bytes(sent.number), event: sent.event,
            important: sent.number % 21 == 0, revision: hasRevisions ? Int64(sent.number) : nil,
            payload: [UInt8(index)] + Self.bytes(sent.instance) + Self.bytes(sent.number), layout: layout)
    }

    static func bytes(_ value: Int) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value),
        ]
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    mutating func answered(_ origin: UInt64, accepted: Bool, isFinal: Bool) {
        guard let sent = unanswered[origin] else { return }
        guard accepted || isFinal else { return }
        unanswered[origin] = nil
        if accepted {
            acknowledgements += 1
            acknowledged[sent.instance] = max(acknowledged[sent.instance] ?? 0, sent.number)
            if sent.event == .end { ended.insert(sent.instance) }
        }
        if sent.event == .end, waitsForEnd, sent.instance == instance {
            waitsForEnd = false
            instance += 1
        }
    }
}
