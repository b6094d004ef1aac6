internal import CLinux

/// A live view that is redrawn in place, without an alternate screen, so that its last state stays readable.
///
/// On anything but a terminal nothing is drawn and only notes are printed. Between the first `draw` and `close` the
/// cursor is hidden; SIGINT and SIGTERM show it again before they end the process, unless the program handles them
/// itself.
///
/// Threads: one.
public final class Screen {
    /// Whether `draw` draws.
    public let isLive: Bool
    private let descriptor: Int32
    private let size: () -> TerminalSize
    private var frame = FrameUpdate()
    private var lines: [String] = []
    private var cursorIsHidden = false
    private var isClosed = false

    /// Draws on a terminal, unless `plain`.
    public init(descriptor: Int32 = 1, plain: Bool, environment: [String: String]) {
        self.descriptor = descriptor
        isLive = !plain && ColourPolicy.isTerminal(descriptor) && environment["TERM"] != "dumb"
        size = { TerminalSize.current(descriptor) }
    }

    /// For tests: always live, with a fixed size.
    init(descriptor: Int32, size: TerminalSize) {
        self.descriptor = descriptor
        isLive = true
        self.size = { size }
    }

    deinit { close() }

    /// The size of the terminal at this moment.
    public var terminalSize: TerminalSize { size() }

    /// Shows these lines instead of the last ones; does nothing when not live.
    public func draw(_ lines: [String]) {
        guard isLive, !isClosed else { return }
        hideCursor()
        self.lines = lines
        Descriptor.writeAll(descriptor, frame.update(lines, size: size()))
    }

    /// Prints a lasting line: above the frame, or simply when not live or closed.
    public func note(_ line: String) {
        guard isLive, !isClosed else {
            Descriptor.writeAll(descriptor, line + "\n")
            return
        }
        let text = frame.insert([line])
        Descriptor.writeAll(descriptor, text + frame.update(lines, size: size()))
    }

    /// Leaves the last frame where it is and shows the cursor again; what is noted later comes below.
    public func close() {
        isClosed = true
        guard cursorIsHidden else { return }
        cursorIsHidden = false
        Descriptor.writeAll(descriptor, "\u{1B}[?25h")
    }

    private func hideCursor() {
        guard !cursorIsHidden else { return }
        cursorIsHidden = true
        CursorGuard.install()
        Descriptor.writeAll(descriptor, "\u{1B}[?25l")
    }
}

/// Shows the cursor before a signal ends the process.
enum CursorGuard {
    /// Takes over SIGINT and SIGTERM where they have their default action; their effect stays the same.
    static func install() {
        for signal in [SIGINT, SIGTERM] {
            var current = sigaction()
            sigaction(signal, nil, &current)
            guard current.__sigaction_handler.sa_handler == nil else { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = showCursorAndEnd
            // The default action is back when the handler runs, so raising again ends the process as usual.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            sigaction(signal, &action, nil)
        }
    }
}

/// Only calls what signal-safety(7) allows: write(2) and raise(3), on bytes that are constants of the program.
private func showCursorAndEnd(_ signal: Int32) {
    let show: StaticString = "\u{1B}[?25h\n"
    _ = write(1, show.utf8Start, show.utf8CodeUnitCount)
    raise(signal)
}
