import Codes

/// Rules about what a started activity shall follow.
extension PayloadRules {
    mutating func checkInputPush(_ bytes: Span<UInt8>) {
        let token = visitor[.inputPushToken]
        let channel = visitor[.inputPushChannel]
        guard token.isPresent || channel.isPresent else { return }
        report.followsChannel = channel.isPresent
        if let event = report.event, event != .start {
            add(.inputPushOnNonStart, .warning, token.isPresent ? .inputPushToken : .inputPushChannel)
        }
        if token.isPresent, channel.isPresent { add(.inputPushConflict, .error, .inputPushChannel) }
        if let kind = token.kind, !kind.isNumber || number(token, bytes) != 1 {
            addMissing(.inputPushTokenValue, .error, .inputPushToken)
        }
        if let kind = channel.kind, !kind.isString || !Self.isPaddedBase64(JSONText.bytes(bytes, channel.value)) {
            addMissing(.inputPushChannelFormat, .error, .inputPushChannel)
        }
    }

    /// RFC 4648 4: the standard alphabet in groups of four, at most two `=` at the end.
    static func isPaddedBase64(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count % 4 == 0 else { return false }
        var digits = text[...]
        if digits.last == 0x3D { digits.removeLast() }
        if digits.last == 0x3D { digits.removeLast() }
        return digits.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
            default: false
            }
        }
    }
}
