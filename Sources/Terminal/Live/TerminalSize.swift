internal import CLinux

/// Rows and columns of a terminal.
public struct TerminalSize: Sendable, Hashable {
    /// Lines.
    public var rows: Int
    /// Characters in a line.
    public var columns: Int

    /// Makes a size.
    public init(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
    }

    /// What the terminal says; 24 × 80 when it does not.
    public static func current(_ descriptor: Int32) -> TerminalSize {
        var (rows, columns): (UInt16, UInt16) = (0, 0)
        guard crl_terminal_size(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else {
            return TerminalSize(rows: 24, columns: 80)
        }
        return TerminalSize(rows: Int(rows), columns: Int(columns))
    }
}
