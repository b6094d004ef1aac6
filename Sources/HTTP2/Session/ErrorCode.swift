/// An HTTP/2 error code (RFC 9113 7), known or not.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt32

    /// Any number is allowed; unknown ones are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not an error.
    public static let noError = ErrorCode(rawValue: 0)
    /// The peer saw a violation.
    public static let protocolError = ErrorCode(rawValue: 1)
    /// The peer failed.
    public static let internalError = ErrorCode(rawValue: 2)
    /// Flow control was violated.
    public static let flowControlError = ErrorCode(rawValue: 3)
    /// SETTINGS were not acknowledged in time.
    public static let settingsTimeout = ErrorCode(rawValue: 4)
    /// A frame came for a closed stream.
    public static let streamClosed = ErrorCode(rawValue: 5)
    /// A frame had an invalid size.
    public static let frameSizeError = ErrorCode(rawValue: 6)
    /// The request was not looked at and may be sent again.
    public static let refusedStream = ErrorCode(rawValue: 7)
    /// The stream is no longer wanted.
    public static let cancel = ErrorCode(rawValue: 8)
    /// Header compression is out of step.
    public static let compressionError = ErrorCode(rawValue: 9)
    /// A tunnel was closed.
    public static let connectError = ErrorCode(rawValue: 10)
    /// The peer finds us too busy.
    public static let enhanceYourCalm = ErrorCode(rawValue: 11)
    /// TLS is too weak.
    public static let inadequateSecurity = ErrorCode(rawValue: 12)
    /// The peer wants HTTP/1.1.
    public static let http11Required = ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in RFC 9113, or the number.
    public var description: String {
        rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error code \(rawValue)"
    }
}
