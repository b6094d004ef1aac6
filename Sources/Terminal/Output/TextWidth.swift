/// How many columns of a terminal text takes, and text of a given width. Escape sequences for colour take none.
public enum TextWidth {
    private static let escape: Character = "\u{1B}"

    /// Columns of one line of text.
    public static func columns(_ text: String) -> Int {
        pieces(text).reduce(0) { $0 + $1.columns }
    }

    /// The text filled up with spaces to `columns`; longer text stays as it is.
    public static func padded(_ text: String, to columns: Int, right: Bool = false) -> String {
        let missing = columns - Self.columns(text)
        guard missing > 0 else { return text }
        let space = String(repeating: " ", count: missing)
        return right ? space + text : text + space
    }

    /// The text cut to `columns`, its last one a `…` when something is missing; colour is ended.
    public static func cut(_ text: String, to columns: Int) -> String {
        guard Self.columns(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var used = 0
        var coloured = false
        for piece in pieces(text) {
            if piece.columns == 0 && piece.text.first == escape { coloured = true }
            guard used + piece.columns < columns else { break }
            result += piece.text
            used += piece.columns
        }
        return result + "…" + (coloured ? "\u{1B}[0m" : "")
    }

    /// Characters and whole escape sequences, with the columns that each takes.
    private static func pieces(_ text: String) -> [(text: String, columns: Int)] {
        var pieces: [(text: String, columns: Int)] = []
        var rest = text[...]
        while let first = rest.first {
            if first == escape {
                let body = rest.dropFirst(2)
                let end = body.firstIndex { ("@"..."~").contains($0) }
                let after = end.map { body.index(after: $0) } ?? rest.endIndex
                pieces.append((String(rest[..<after]), 0))
                rest = rest[after...]
            } else {
                pieces.append((String(first), columns(of: first)))
                rest = rest.dropFirst()
            }
        }
        return pieces
    }

    private static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        let properties = first.properties
        if properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch first.value {
        // East Asian wide and full-width blocks (UAX 11, the large ones).
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
