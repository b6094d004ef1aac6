public import Codes

/// Something an operator should know, once per change of state: a connection problem, a refused token, a clock that
/// is off.
public struct APNsNotice: Sendable, Hashable {
    /// How much it matters.
    public enum Level: Sendable, Hashable {
        /// Something is in order again, or expected.
        case info
        /// Works, or will again by itself.
        case warning
        /// Somebody has to act.
        case error
    }

    /// How much it matters.
    public let level: Level
    /// What it is, with the particulars; the place names app or endpoint.
    public let fault: Fault
    /// Index of the app it concerns; nil when it concerns the node.
    public let app: UInt16?

    /// Makes a notice.
    public init(_ level: Level, _ fault: Fault, app: UInt16? = nil) {
        self.level = level
        self.fault = fault
        self.app = app
    }
}
