/// The keys that Apple knows inside `aps` (Docs/APNs.md 4.1); raw values index the visitor's table.
enum ApsKey: Int, CaseIterable {
    case timestamp, event, contentState, attributesType, attributes, alert, staleDate, relevanceScore
    case dismissalDate, inputPushToken, inputPushChannel, sound

    /// The spelling.
    var name: StaticString {
        switch self {
        case .timestamp: "timestamp"
        case .event: "event"
        case .contentState: "content-state"
        case .attributesType: "attributes-type"
        case .attributes: "attributes"
        case .alert: "alert"
        case .staleDate: "stale-date"
        case .relevanceScore: "relevance-score"
        case .dismissalDate: "dismissal-date"
        case .inputPushToken: "input-push-token"
        case .inputPushChannel: "input-push-channel"
        case .sound: "sound"
        }
    }

    /// The key's place for messages.
    var path: String { "aps.\(name)" }

    /// The key of this name; nil when Apple does not know it.
    static func match(_ range: Range<Int>, escaped: Bool, in bytes: Span<UInt8>) -> ApsKey? {
        if escaped { return allCases.first { JSONText.equals(bytes, range, escaped: true, $0.name) } }
        // Length and first letter leave one candidate.
        let candidate: ApsKey
        switch (range.count, bytes[range.isEmpty ? 0 : range.lowerBound]) {
        case (9, _): candidate = .timestamp
        case (5, 0x65): candidate = .event
        case (5, 0x61): candidate = .alert
        case (5, _): candidate = .sound
        case (13, _): candidate = .contentState
        case (15, 0x61): candidate = .attributesType
        case (15, _): candidate = .relevanceScore
        case (10, 0x61): candidate = .attributes
        case (10, _): candidate = .staleDate
        case (14, _): candidate = .dismissalDate
        case (16, _): candidate = .inputPushToken
        case (18, _): candidate = .inputPushChannel
        default: return nil
        }
        return JSONText.equals(bytes, range, escaped: false, candidate.name) ? candidate : nil
    }
}

/// A member of `aps` as the visitor found it.
struct ApsMember {
    /// What the value is; nil when the payload has no such member.
    var kind: JSONKind?
    /// Offset of the name's opening quote.
    var nameStart = 0
    /// The value: strings without their quotes.
    var value = 0..<0

    var isPresent: Bool { kind != nil }

    /// The value as it stands in the payload, quotes included.
    var spelled: Range<Int> {
        kind?.isString == true ? value.lowerBound - 1..<value.upperBound + 1 : value
    }
}
