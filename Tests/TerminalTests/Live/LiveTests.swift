import CLinux
import Testing

@testable import Terminal

@Suite struct LiveTests {
    @Test(arguments: [
        (0.0, "····"), (1.0, "████"), (0.5, "██··"), (0.53, "██▏·"), (-1, "····"), (2, "████"), (.nan, "····"),
    ])
    func bars(fraction: Double, text: String) {
        #expect(Bar.text(fraction, columns: 4) == text)
    }

    @Test func barsAreAsWideAsAsked() {
        for step in 0...1000 { #expect(Bar.text(Double(step) / 1000, columns: 7).count == 7) }
        #expect(Bar.text(0.5, columns: 0) == "")
    }

    @Test func sparklines() {
        #expect(Sparkline.text([0, 1, 2, 4, 8], columns: 5) == "▁▂▃▅█")
        #expect(Sparkline.text([9, 1, 1], columns: 2) == "██")
        #expect(Sparkline.text([1], columns: 3) == "  █")
        #expect(Sparkline.text([0, 0], columns: 2) == "▁▁")
        #expect(Sparkline.text([.nan, -1, .infinity, 2], columns: 4) == "▁▁▁█")
        #expect(Sparkline.text([], columns: 0) == "")
    }

    @Test func blocks() {
        let block = Block.framed(["KKR 113/8", "a line that is far too long"], title: "Final", columns: 16)
        #expect(block == ["╭─ Final ──────╮", "│ KKR 113/8    │", "│ a line that… │", "╰──────────────╯"])
        #expect(Block.beside(["a"], columns: 3, ["x", "y"]) == ["a    x", "     y"])
        #expect(Block.beside(["a", "b"], columns: 3, ["x"]) == ["a    x", "b"])
        #expect(Block.framed(["x"], columns: 3) == [])
    }

    @Test func progressWaitsTwoSecondsAndIsTakenAway() {
        var line = ProgressLine("copying", isTerminal: true, at: 1000)
        #expect(line.update(done: 1, total: 10, at: 2999) == nil)
        #expect(line.finish() == nil)
        let shown = line.update(done: 5, total: 10, at: 3001)
        #expect(shown == "\rcopying: ██████████·········· 5/10, 2.00 s\u{1B}[K")
        #expect(line.update(done: 6, total: 10, at: 3050) == nil)
        #expect(line.update(done: 6, total: nil, at: 3150) == "\rcopying: 6, 2.15 s\u{1B}[K")
        #expect(line.finish() == "\r\u{1B}[K")
        var plain = ProgressLine("copying", isTerminal: false, at: 0)
        #expect(plain.update(done: 1, total: 2, at: 60_000) == nil)
    }

    @Test func aScreenHidesTheCursorWhileItLives() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let screen = Screen(descriptor: ends[1], size: TerminalSize(rows: 5, columns: 40))
        screen.draw(["a"])
        screen.note("b")
        screen.close()
        screen.close()
        close(ends[1])
        let bytes = try Descriptor.readAll(ends[0], bytesMax: 1000, name: "pipe").get()
        close(ends[0])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}[?25l"))
        #expect(text.hasSuffix("\u{1B}[?25h"))
        #expect(text.contains("b\r\n"))
        #expect(text.split(separator: "\u{1B}[?25h", omittingEmptySubsequences: false).count == 2)
    }

    @Test func aPipeGetsNotesOnly() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let screen = Screen(descriptor: ends[1], plain: false, environment: [:])
        #expect(!screen.isLive)
        screen.draw(["a"])
        screen.note("b")
        screen.close()
        close(ends[1])
        let bytes = try Descriptor.readAll(ends[0], bytesMax: 1000, name: "pipe").get()
        close(ends[0])
        #expect(String(decoding: bytes, as: UTF8.self) == "b\n")
        #expect(TerminalSize.current(ends[0]) == TerminalSize(rows: 24, columns: 80))
    }
}
