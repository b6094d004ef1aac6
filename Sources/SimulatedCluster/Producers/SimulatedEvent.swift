internal import Cluster
internal import LiveActivity
internal import Wire

/// One event as its producer made it; sent again under the same event ID until it is answered.
struct SimulatedEvent: Sendable {
    var mark: EventMark
    var kind: EventKind
    var important: Bool
    var hasAlert: Bool

    private static let opening = "{\"aps\":{"

    /// The payload; the stamp goes in behind `aps`' brace, the alert is the first member.
    var payload: [UInt8] {
        Array(
            (Self.opening + alert + "\"event\":\"\(kind.name)\"," + attributes
                + "\"content-state\":{\"k\":\(mark.producer),"
                + "\"i\":\(mark.instance),\"n\":\(mark.number)}}}").utf8)
    }

    private var attributes: String { kind == .start ? "\"attributes-type\":\"Score\",\"attributes\":{}," : "" }

    private var alert: String {
        hasAlert ? "\"alert\":{\"title\":\"\(mark.instance)\",\"body\":\"\(mark.number)\"}," : ""
    }

    private var layout: PayloadLayout {
        let offset = UInt16(Self.opening.utf8.count)
        return PayloadLayout(
            stampOffset: offset, stampLength: 0, stampInsertion: .beforeMembers, alertOffset: hasAlert ? offset : 0,
            alertLength: UInt16(alert.utf8.count))
    }

    private var audience: StartAudience {
        StartAudience(user: StartDevice.user(mark.producer), attributesType: StartDevice.attributesType)
    }

    /// The event ID: the same for every attempt.
    var eventID: [UInt8] { Array("\(mark.producer)-\(mark.instance)-\(mark.number)".utf8) }

    func input(origin: UInt64, key: Key) -> PublishInput {
        PublishInput(
            origin: origin, producer: Array("p\(mark.producer)".utf8), app: 0, key: key,
            instance: UInt32(mark.instance), eventID: eventID, event: kind, important: important,
            revision: Int64(mark.number), audience: kind == .start ? audience : nil, payload: payload, layout: layout,
            wantsReceipts: false)
    }
}
