/// A horizontal bar of block characters.
public enum Bar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// `columns` wide, filled to `fraction` (0…1; beyond, the nearest) in eighths of a column, the rest `·`.
    public static func text(_ fraction: Double, columns: Int) -> String {
        guard columns > 0 else { return "" }
        let bounded = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        let filled = Int((bounded * Double(columns * 8)).rounded())
        let partial = eighths[filled % 8]
        let empty = columns - filled / 8 - (partial.isEmpty ? 0 : 1)
        return String(repeating: "█", count: filled / 8) + partial + String(repeating: "·", count: empty)
    }
}

/// A line of small columns.
public enum Sparkline {
    private static let levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The last `columns` values, scaled to the largest of them, filled up with spaces on the left.
    public static func text(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(max(columns, 0)).map { $0.isFinite ? max($0, 0) : 0 }
        let top = shown.max() ?? 0
        let marks = shown.map { value in
            top == 0 ? levels[0] : levels[min(Int(value / top * 8), 7)]
        }
        return String(repeating: " ", count: max(columns - shown.count, 0)) + marks.joined()
    }
}

/// Blocks of lines for live views.
public enum Block {
    /// The lines in a frame with round corners, `columns` wide in all, longer lines cut.
    public static func framed(_ lines: [String], title: String = "", columns: Int) -> [String] {
        guard columns >= 4 else { return [] }
        let inner = columns - 4
        let head = title.isEmpty ? "" : " " + TextWidth.cut(title, to: inner - 2) + " "
        let rule = String(repeating: "─", count: columns - 3 - TextWidth.columns(head))
        let body = lines.map { "│ " + TextWidth.padded(TextWidth.cut($0, to: inner), to: inner) + " │" }
        return ["╭─" + head + rule + "╮"] + body + ["╰" + String(repeating: "─", count: columns - 2) + "╯"]
    }

    /// Two blocks beside each other, the left one `columns` wide.
    public static func beside(_ left: [String], columns: Int, gap: Int = 2, _ right: [String]) -> [String] {
        (0..<max(left.count, right.count)).map { row in
            let first = row < left.count ? TextWidth.cut(left[row], to: columns) : ""
            guard row < right.count else { return first }
            return TextWidth.padded(first, to: columns + gap) + right[row]
        }
    }
}
