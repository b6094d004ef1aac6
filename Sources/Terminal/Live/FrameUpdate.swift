/// Works out what to send to a terminal so that it shows new lines where the old ones were. Pure.
///
/// The cursor always rests at the beginning of the line below the frame. Only lines that changed are written, each with
/// an erase to its end, in one synchronized update, so that nothing flickers.
struct FrameUpdate {
    private var shown: [String] = []
    private var size = TerminalSize(rows: 0, columns: 0)

    /// The text that turns what is shown into `lines`, as far as they fit; empty when nothing changed.
    mutating func update(_ lines: [String], size: TerminalSize) -> String {
        let fitting = lines.prefix(max(size.rows - 1, 1)).map { TextWidth.cut($0, to: size.columns) }
        // A terminal that was resized may have broken lines anew: write all of them.
        let old = size == self.size ? shown : []
        guard fitting != shown || size != self.size else { return "" }
        var text = "\u{1B}[?2026h" + up(shown.count)
        if size != self.size && !shown.isEmpty { text += "\u{1B}[J" }
        for (index, line) in fitting.enumerated() {
            let same = index < old.count && old[index] == line
            text += same ? "\r\n" : line + "\u{1B}[0m\u{1B}[K\r\n"
        }
        if fitting.count < shown.count { text += "\u{1B}[J" }
        shown = fitting
        self.size = size
        return text + "\u{1B}[?2026l"
    }

    /// The text that puts lasting lines above the frame; the frame itself must be drawn anew after it.
    mutating func insert(_ lines: [String]) -> String {
        let text = up(shown.count) + "\u{1B}[J" + lines.map { $0 + "\r\n" }.joined()
        shown = []
        return text
    }

    private func up(_ count: Int) -> String { count == 0 ? "" : "\u{1B}[\(count)A\r" }
}
