import Testing

@testable import Terminal

/// As much of a terminal as `FrameUpdate` uses: lines, a cursor, moving up, erasing.
private struct FakeTerminal {
    var lines: [[Character]] = [[]]
    var row = 0
    var column = 0
    private(set) var written = 0

    mutating func feed(_ text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\r\n":
                row += 1
                column = 0
                while lines.count <= row { lines.append([]) }
            case "\r": column = 0
            case "\u{1B}":
                let body = rest.dropFirst()
                let end = body.firstIndex { ("@"..."~").contains($0) } ?? body.endIndex
                command(String(body[..<end]), body[end])
                rest = body[body.index(after: end)...]
            default:
                while lines[row].count <= column { lines[row].append(" ") }
                lines[row][column] = character
                column += 1
                written += 1
            }
        }
    }

    private mutating func command(_ parameter: String, _ letter: Character) {
        switch letter {
        case "A": row = max(0, row - (Int(parameter) ?? 1))
        case "K": lines[row] = Array(lines[row].prefix(column))
        case "J":
            lines[row] = Array(lines[row].prefix(column))
            lines = Array(lines.prefix(row + 1))
        default: break
        }
    }

    var text: [String] { lines.map { String($0) } }
}

@Suite struct FrameUpdateTests {
    private let size = TerminalSize(rows: 10, columns: 20)

    @Test func onlyChangedLinesAreWritten() {
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        terminal.feed(frame.update(["score 1/0", "over 1"], size: size))
        #expect(terminal.text == ["score 1/0", "over 1", ""])
        let before = terminal.written
        terminal.feed(frame.update(["score 1/0", "over 2"], size: size))
        #expect(terminal.text == ["score 1/0", "over 2", ""])
        #expect(terminal.written - before == "over 2".count)
        #expect(frame.update(["score 1/0", "over 2"], size: size) == "")
    }

    @Test func framesGrowAndShrink() {
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        for lines in [["a"], ["a", "b", "c"], ["longer", "b"], [], ["x"]] {
            terminal.feed(frame.update(lines, size: size))
            #expect(terminal.text == lines + [""])
        }
    }

    @Test func aFrameNeverExceedsTheTerminal() {
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        let many = (0..<50).map { "line \($0) that is much longer than the terminal" }
        terminal.feed(frame.update(many, size: size))
        #expect(terminal.text.count == 10)
        #expect(terminal.text.allSatisfy { $0.count <= 20 })
    }

    @Test func notesStayAboveTheFrame() {
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        terminal.feed(frame.update(["one", "two"], size: size))
        terminal.feed(frame.insert(["wicket"]))
        terminal.feed(frame.update(["one", "two"], size: size))
        #expect(terminal.text == ["wicket", "one", "two", ""])
    }

    @Test func aResizeWritesEverythingAnew() {
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        terminal.feed(frame.update(["abcdefghij", "b"], size: size))
        terminal.feed(frame.update(["abcdefghij", "b"], size: TerminalSize(rows: 10, columns: 5)))
        #expect(terminal.text == ["abcd…", "b", ""])
    }

    @Test func randomFramesAlwaysShowWhatWasAsked() {
        var random = SplitMix64(state: 11)
        var frame = FrameUpdate()
        var terminal = FakeTerminal()
        for _ in 0..<300 {
            let lines = (0..<Int(random.next() % 9)).map { _ in
                String(repeating: "x", count: Int(random.next() % 4)) + String(random.next() % 3)
            }
            terminal.feed(frame.update(lines, size: size))
            #expect(terminal.text == lines + [""])
        }
    }
}
