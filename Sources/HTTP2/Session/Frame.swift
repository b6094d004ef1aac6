internal import CNGHTTP2

/// nghttp2's constants with the types its functions take.
enum FrameType {
    static let data = UInt8(NGHTTP2_DATA.rawValue)
    static let headers = UInt8(NGHTTP2_HEADERS.rawValue)
    static let resetStream = UInt8(NGHTTP2_RST_STREAM.rawValue)
    static let settings = UInt8(NGHTTP2_SETTINGS.rawValue)
    static let ping = UInt8(NGHTTP2_PING.rawValue)
    static let goAway = UInt8(NGHTTP2_GOAWAY.rawValue)
}

enum FrameFlag {
    static let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    static let endStream = UInt8(NGHTTP2_FLAG_END_STREAM.rawValue)
    static let acknowledgement = UInt8(NGHTTP2_FLAG_ACK.rawValue)
}

enum FieldFlag {
    static let noCopy = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    static let neverIndex = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
}

/// What a callback returns to make nghttp2 reset the stream and go on.
let resetThisStream = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue

func nghttp2Text(_ code: Int) -> String { String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: code))) }

/// A decimal status; nil unless it is three digits.
func parseStatus(_ text: UnsafeBufferPointer<UInt8>) -> Int32? {
    guard text.count == 3 else { return nil }
    var value: Int32 = 0
    for byte in text {
        guard byte >= 48, byte <= 57 else { return nil }
        value = value * 10 + Int32(byte - 48)
    }
    return value
}

/// Whether a field name is `text`.
func matches(_ name: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
    name.count == text.utf8CodeUnitCount
        && name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}
