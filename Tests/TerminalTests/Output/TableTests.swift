import Testing

@testable import Terminal

@Suite struct TableTests {
    private var table: Table {
        var table = Table([.text("NAME"), .number("KEYS"), .text("STATE"), .text("ZONE", wide: true)])
        table.append(["n1", "1,234", Table.Cell("up", .green), "a"])
        table.append(["Žižkov 🏏", "7", Table.Cell("down", .red)])
        return table
    }

    @Test func columnsAreAligned() {
        #expect(
            table.text() == """
                NAME         KEYS   STATE
                n1          1,234   up
                Žižkov 🏏       7   down

                """)
    }

    @Test func wideShowsAllColumns() {
        #expect(
            table.text(wide: true) == """
                NAME         KEYS   STATE   ZONE
                n1          1,234   up      a
                Žižkov 🏏       7   down

                """)
    }

    @Test func colourDoesNotMoveColumns() {
        let plain = table.text()
        let coloured = table.text(painter: Painter(isOn: true))
        #expect(coloured != plain)
        #expect(coloured.contains("\u{1B}[32mup\u{1B}[0m"))
        let stripped = ["1", "31", "32"].reduce(coloured) { $0.split(separator: "\u{1B}[\($1)m").joined() }
            .split(separator: "\u{1B}[0m").joined()
        #expect(stripped == plain)
    }

    @Test func anEmptyTableIsItsHeader() {
        #expect(Table([.text("NAME"), .number("KEYS")]).text() == "NAME   KEYS\n")
    }

    @Test func cellsCannotDriveTheTerminal() {
        var table = Table([.text("NAME")])
        table.append(["a\u{1B}[2J\nb\u{202E}"])
        #expect(table.text() == "NAME\na?[2J?b?\n")
    }
}

@Suite struct TextWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("🏏", 2), ("🇮🇳", 2), ("👨‍👩‍👧", 2), ("█▏", 2),
        ("\u{1B}[31mred\u{1B}[0m", 3), ("\u{1B}[", 0), ("\u{1B}", 0),
    ])
    func columns(text: String, columns: Int) {
        #expect(TextWidth.columns(text) == columns)
    }

    @Test func cutting() {
        #expect(TextWidth.cut("abcdef", to: 6) == "abcdef")
        #expect(TextWidth.cut("abcdef", to: 4) == "abc…")
        #expect(TextWidth.cut("漢字漢字", to: 4) == "漢…")
        #expect(TextWidth.cut("abc", to: 0) == "")
        #expect(TextWidth.cut("\u{1B}[31mabcdef\u{1B}[0m", to: 3) == "\u{1B}[31mab…\u{1B}[0m")
        #expect(TextWidth.padded("é", to: 3) == "é  ")
        #expect(TextWidth.padded("7", to: 3, right: true) == "  7")
    }
}
