internal import CLinux

/// Whether a stream may be coloured.
public enum ColourPolicy {
    /// Only on a terminal, and not when NO_COLOR is set and not empty (no-color.org), TERM is `dumb`, or the user says
    /// so.
    public static func isOn(terminal: Bool, environment: [String: String], noColour: Bool) -> Bool {
        terminal && !noColour && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether the descriptor is a terminal.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

/// How a piece of text stands out. Colour never carries the only meaning.
public enum Style: String, Sendable, CaseIterable {
    /// Heavier.
    case bold = "1"
    /// Lighter.
    case dim = "2"
    /// Wrong.
    case red = "31"
    /// Right.
    case green = "32"
    /// Doubtful.
    case yellow = "33"
    /// Names.
    case cyan = "36"
}

/// Colours text, or does not.
public struct Painter: Sendable, Hashable {
    /// Whether text is coloured.
    public let isOn: Bool

    /// Makes a painter.
    public init(isOn: Bool) { self.isOn = isOn }

    /// The text in a style.
    public func callAsFunction(_ text: String, _ style: Style) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
