/// Why APNs refused, in Apple's words. Open: a reason that this version does not know is kept as it came, so that
/// it can be shown and counted (Docs/APNs.md 3.4, "unknown reasons will appear").
public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// Longest reason that is kept; a longer one is cut. Apple's longest has 26 characters.
    public static let lengthMax = 64

    /// The reason: printable ASCII, at most `lengthMax` characters.
    public let text: String

    /// Reads a reason as it came from the peer. Both spellings that Apple or others print for one reason become the
    /// same value; characters that do not belong into a log become `?`.
    public init(_ text: String) {
        self.text = Self.alias(of: Self.cleaned(text))
    }

    /// The reason's text.
    public var description: String { text }

    private static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(lengthMax) {
            scalars.append(scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : "?")
        }
        return String(scalars)
    }

    private static func alias(of text: String) -> String {
        switch text {
        case "Service Unavailable": "ServiceUnavailable"
        case "BadEnvironmentKeyInToken": "BadEnvironmentKeyIdInToken"
        default: text
        }
    }
}
