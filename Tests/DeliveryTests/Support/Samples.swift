import LiveActivity

@testable import Delivery

/// A moment `boot` milliseconds after boot; the wall clock stands at 1790000000 s then.
func moment(_ boot: Int64, wallOffset: Int64 = 1_790_000_000_000) -> Moment {
    Moment(wallMilliseconds: wallOffset + boot, bootMilliseconds: boot)
}

func channel(_ number: Int = 1, app: UInt16 = 0) -> Destination {
    Destination(kind: .channel, app: app, address: Array("channel-\(number)".utf8))
}

func token(_ number: Int = 1, kind: Destination.Kind = .token) -> Destination {
    Destination(kind: kind, app: 0, address: Array("abcdef\(number)".utf8))
}

/// An item whose stamp is that of `at`.
func item(
    _ sequence: UInt64, _ event: EventKind = .update, important: Bool = false, quiet: Bool = false, ticket: UInt64 = 1,
    at: Moment = moment(0), expiresAt: Int64? = nil
) -> PushItem {
    PushItem(
        ticket: ticket, sequence: sequence, stampSeconds: at.wallMilliseconds / 1000, event: event,
        important: important, quiet: quiet, priority: 10, expirationSeconds: 0, expiresAtMilliseconds: expiresAt,
        payload: Array("{}".utf8),
        layout: PayloadLayout(stampOffset: 1, stampLength: 0, stampInsertion: .alone))
}

func verdict(_ status: UInt16, _ reason: String? = nil, _ operation: Delivery.Operation = .broadcast) -> Verdict {
    AnswerClassifier.classify(operation, Answer(status: status, reason: reason.map { Reason($0) }))
}

extension SplitMix64 {
    /// True once in `chances` draws.
    mutating func once(in chances: Int64) -> Bool { below(chances) == 0 }

    mutating func pick<T>(_ items: [T]) -> T? {
        items.isEmpty ? nil : items[Int(below(Int64(items.count)))]
    }
}
