/// One line on standard error that says how far a long operation is. Pure: the caller brings the time and writes the
/// text.
///
/// Nothing is shown in the first two seconds, nor when standard error is no terminal, and at most ten times a second.
public struct ProgressLine: Sendable {
    private let label: String
    private let isTerminal: Bool
    private let start: Int64
    private var shownAt: Int64?

    /// Begins at `milliseconds` of a clock that never steps.
    public init(_ label: String, isTerminal: Bool, at milliseconds: Int64) {
        (self.label, self.isTerminal, start) = (label, isTerminal, milliseconds)
    }

    /// The text to write now, or nil. `total` may be unknown.
    public mutating func update(done: Int, total: Int?, at milliseconds: Int64) -> String? {
        guard isTerminal, milliseconds - start > 2000, milliseconds - (shownAt ?? .min / 2) >= 100 else { return nil }
        shownAt = milliseconds
        let elapsed = Humanised.duration(milliseconds: milliseconds - start)
        guard let total, total > 0 else { return "\r\(label): \(Humanised.count(done)), \(elapsed)\u{1B}[K" }
        let bar = Bar.text(Double(done) / Double(total), columns: 20)
        return "\r\(label): \(bar) \(Humanised.count(done))/\(Humanised.count(total)), \(elapsed)\u{1B}[K"
    }

    /// The text that takes the line away, or nil when none was shown.
    public mutating func finish() -> String? {
        guard shownAt != nil else { return nil }
        shownAt = nil
        return "\r\u{1B}[K"
    }
}
