import Codes

/// The size with the stamp in, and where stamp and alert lie.
extension PayloadRules {
    mutating func checkSize(_ aps: Range<Int>, _ bytes: Span<UInt8>) {
        let layout = layout(aps, bytes)
        if let layout {
            report.sizeWithStamp = layout.renderedBytes(
                payloadBytes: bytes.count, stampSeconds: nowSeconds, quiet: false)
        }
        let most = kind.payloadBytesMax
        if report.sizeWithStamp > most {
            add(
                .bodyTooLarge, .error, at: min(most, bytes.count), "",
                "the payload has \(report.sizeWithStamp) bytes with its timestamp; at most \(most) are allowed")
        }
        if report.isAcceptable { report.layout = layout }
    }

    /// Nil when an offset does not fit; such a payload is too large to be sent.
    private func layout(_ aps: Range<Int>, _ bytes: Span<UInt8>) -> PayloadLayout? {
        guard bytes.count <= Int(UInt16.max) else { return nil }
        let timestamp = visitor[.timestamp]
        let stamp: Range<Int>
        let insertion: PayloadLayout.Insertion
        if timestamp.isPresent {
            stamp = timestamp.spelled
            insertion = .replace
        } else {
            stamp = aps.lowerBound + 1..<aps.lowerBound + 1
            insertion = visitor.apsHasMembers ? .beforeMembers : .alone
        }
        let alert = alertWithComma(bytes)
        return PayloadLayout(
            stampOffset: UInt16(stamp.lowerBound), stampLength: UInt16(stamp.count), stampInsertion: insertion,
            alertOffset: UInt16(alert.lowerBound), alertLength: UInt16(alert.count))
    }

    /// The alert member with the comma after it or, for the last member, the one before it.
    private func alertWithComma(_ bytes: Span<UInt8>) -> Range<Int> {
        let alert = visitor[.alert]
        guard alert.isPresent else { return 0..<0 }
        var end = alert.spelled.upperBound
        while Self.isBlank(bytes[end]) { end += 1 }
        if bytes[end] == 0x2C { return alert.nameStart..<end + 1 }
        var start = alert.nameStart - 1
        while Self.isBlank(bytes[start]) { start -= 1 }
        return (bytes[start] == 0x2C ? start : alert.nameStart)..<alert.spelled.upperBound
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
