internal import LiveActivity

/// What APNs and the device look at in a body; everything is lenient, because APNs answers 200 to what a device drops
/// (Docs/APNs.md 4.7).
struct PayloadReading {
    var event: EventKind?
    var stampSeconds: Int64?
    /// Bytes of `content-state`; empty when absent or no object.
    var state: [UInt8] = []
    /// Bytes of `alert`; empty when absent.
    var alert: [UInt8] = []
    /// Whether the alert has a form that a device drops: flat localisation keys (Docs/APNs.md 4.2).
    var alertIsFlat = false
    var attributes: [UInt8] = []
    var attributesType: String?
    var inputChannel: String?

    /// Reads a body; nil when it is no JSON object with an `aps` object.
    init?(_ body: [UInt8]) {
        let bytes = body.span
        var aps: Range<Int>?
        do {
            try JSONScanner.forEachMember(bytes) { member in
                if member.kind == .object, member.isNamed("aps", in: bytes) { aps = member.value }
            }
            guard let aps else { return nil }
            let inner = bytes.extracting(aps)
            var reading = PayloadReading()
            try JSONScanner.forEachMember(inner) { reading.take($0, inner) }
            self = reading
        } catch { return nil }
    }

    private init() {}

    private mutating func take(_ member: JSONMember, _ bytes: borrowing Span<UInt8>) {
        if member.isNamed("content-state", in: bytes) {
            if member.kind == .object { state = copy(bytes, member.value) }
        } else if member.isNamed("timestamp", in: bytes) {
            // A string's range leaves its quotes out, so the kind has to be looked at.
            if member.kind.isNumber { stampSeconds = JSONText.double(bytes, member.value).flatMap(wholeSeconds) }
        } else if member.isNamed("event", in: bytes) {
            if member.kind.isString { event = EventKind(name: JSONText.string(bytes, member.value)) }
        } else if member.isNamed("alert", in: bytes) {
            alert = copy(bytes, member.value)
            alertIsFlat = member.kind == .object && Self.isFlat(alert)
        } else if member.isNamed("attributes", in: bytes) {
            if member.kind == .object { attributes = copy(bytes, member.value) }
        } else if member.isNamed("attributes-type", in: bytes) {
            if member.kind.isString { attributesType = JSONText.string(bytes, member.value) }
        } else if member.isNamed("input-push-channel", in: bytes) {
            if member.kind.isString { inputChannel = JSONText.string(bytes, member.value) }
        }
    }

    private static func isFlat(_ alert: [UInt8]) -> Bool {
        let bytes = alert.span
        var flat = false
        try? JSONScanner.forEachMember(bytes) { member in
            if member.isNamed("loc-key", in: bytes) || member.isNamed("title-loc-key", in: bytes) { flat = true }
        }
        return flat
    }

    /// Identity of what would ring: the alert together with the content.
    var ring: UInt64? { alert.isEmpty ? nil : contentHash(state, from: contentHash(alert)) }
}

private func copy(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    bytes.extracting(range).withUnsafeBufferPointer { Array($0) }
}

/// A document as a tree; nil when it is no JSON.
func parsed(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue(parsing: bytes.span) }
