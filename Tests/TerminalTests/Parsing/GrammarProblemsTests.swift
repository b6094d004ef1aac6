import Testing

@testable import Terminal

@Suite struct GrammarProblemsTests {
    private func problems(_ command: Command, globals: [CommandOption] = []) -> [String] {
        Grammar(program: "bell", summary: "X.", examples: [], globals: globals, commands: [command]).problems()
    }

    private let example = [CommandExample("bell ring", "Ring.")]

    @Test func aSoundCommandHasNone() {
        #expect(problems(Command("ring", "Ring.", examples: example)) == [])
    }

    @Test func eachMistakeIsFound() {
        let bad: [(Command, [CommandOption])] = [
            (Command("ring", "Ring.", examples: []), []),
            (Command("ring", "Ring", examples: example), []),
            (Command("ring the bell", "Ring.", examples: example), []),
            (Command("ring", "Ring.", options: [.flag("x", "X.")], examples: example), [.flag("x", "X.")]),
            (Command("ring", "Ring.", options: [.flag("x", "X.").short("h")], examples: example), []),
            (Command("ring", "Ring.", options: [.flag("x", "X.").variable("BELL_X")], examples: example), []),
            (Command("ring", "Ring.", options: [.integer("x", 1...2, "X.").fallback("3")], examples: example), []),
            (Command("ring", "Ring.", examples: [CommandExample("bell rong", "Ring.")]), []),
            (Command("ring", "Ring.", examples: [CommandExample("ring", "Ring.")]), []),
        ]
        for (command, globals) in bad { #expect(!problems(command, globals: globals).isEmpty, "\(command)") }
    }

    @Test func aVerbCannotBeANounToo() {
        let grammar = Grammar(
            program: "bell", summary: "X.", examples: [], globals: [],
            commands: [
                Command("ring", "Ring.", examples: example),
                Command("ring twice", "Ring.", examples: [CommandExample("bell ring twice", "Ring.")]),
            ])
        #expect(grammar.problems().contains("ring: both a command and a noun"))
    }

    @Test func wordsOfTheShell() {
        #expect(ShellWords.split("a 'b c' \"d e\"f ''") == ["a", "b c", "d ef", ""])
    }
}
