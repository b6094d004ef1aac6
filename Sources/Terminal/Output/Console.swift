public import Codes
public import LiveActivity

/// Where a command says things: data on standard output, everything else on standard error.
///
/// Threads: any; whole texts are written at once.
public struct Console: Sendable {
    /// How data is printed.
    public let format: OutputFormat
    /// Colours what goes to standard output.
    public let painter: Painter
    /// Whether standard output is a terminal.
    public let isTerminal: Bool
    /// Whether standard error is a terminal.
    public let diagnosticsAreTerminal: Bool
    private let diagnosticsPainter: Painter
    private let output: Int32
    private let diagnostics: Int32

    /// Speaks on two descriptors; `noColour` is the option `--no-color`.
    public init(
        format: OutputFormat = .table, environment: [String: String], noColour: Bool = false, output: Int32 = 1,
        diagnostics: Int32 = 2
    ) {
        func painter(_ terminal: Bool) -> Painter {
            Painter(isOn: ColourPolicy.isOn(terminal: terminal, environment: environment, noColour: noColour))
        }
        self.format = format
        (self.output, self.diagnostics) = (output, diagnostics)
        isTerminal = ColourPolicy.isTerminal(output)
        diagnosticsAreTerminal = ColourPolicy.isTerminal(diagnostics)
        self.painter = painter(isTerminal)
        diagnosticsPainter = painter(diagnosticsAreTerminal)
    }

    /// Prints data: the table, or the same as JSON when that is asked for. False when nobody reads.
    @discardableResult
    public func show(_ table: @autoclosure () -> Table, json: @autoclosure () -> JSONValue) -> Bool {
        switch format {
        case .table: write(table().text(painter: painter))
        case .wide: write(table().text(wide: true, painter: painter))
        case .json: write(json().pretty + "\n")
        }
    }

    /// Prints text as it is. False when nobody reads.
    @discardableResult
    public func write(_ text: String) -> Bool { Descriptor.writeAll(output, text) }

    /// Says one line on standard error: progress, or what to do next.
    public func say(_ line: String) { Descriptor.writeAll(diagnostics, line + "\n") }

    /// Says what is doubtful.
    public func warn(_ fault: Fault) {
        say(diagnosticsPainter("warning:", .yellow) + " " + Printable.text(fault.description))
    }

    /// Says what is wrong, and returns how the process has to end.
    @discardableResult
    public func fail(_ fault: Fault) -> ExitStatus {
        say(diagnosticsPainter("error:", .red) + " " + Printable.text(fault.description))
        return fault.code.exit
    }
}
