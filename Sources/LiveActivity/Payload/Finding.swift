public import Codes

/// One thing that the inspector has to say about a payload.
public struct Finding: Sendable, Hashable {
    /// How bad it is. Raw values order: a higher one is worse.
    public enum Severity: UInt8, Sendable, Comparable, CaseIterable {
        /// Allowed and probably meant.
        case info = 0
        /// Allowed and probably not meant.
        case warning = 1
        /// APNs refuses it or the device drops it.
        case error = 2

        /// The word for messages.
        public var name: String {
            switch self {
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// By badness.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rule that was broken.
    public let code: Code
    /// How bad it is.
    public let severity: Severity
    /// Byte offset in the payload.
    public let offset: Int
    /// The member, such as `aps.content-state`; empty for the whole payload.
    public let path: String
    /// The particulars, without any value of the payload. Empty when the code's meaning says it all.
    public let detail: String

    /// Makes a finding.
    public init(_ code: Code, _ severity: Severity, at offset: Int, path: String, detail: String = "") {
        self.code = code
        self.severity = severity
        self.offset = offset
        self.path = path
        self.detail = detail
    }

    /// The finding as the error of a refused request.
    public var fault: Fault { Fault(code, detail, at: path) }
}
