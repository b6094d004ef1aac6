/// Everything that a program understands on its command line, as one value: parsing, help, completion and documentation
/// are made from it.
public struct Grammar: Sendable {
    /// The program's name.
    public let program: String
    /// One sentence: what it is.
    public let summary: String
    /// Two or three lines to begin with.
    public let examples: [CommandExample]
    /// Options of every command.
    public let globals: [CommandOption]
    /// All commands, in the order of the help.
    public let commands: [Command]

    /// Makes a grammar. `--help`, `-h` and `--version` are always there.
    public init(
        program: String, summary: String, examples: [CommandExample], globals: [CommandOption], commands: [Command]
    ) {
        (self.program, self.summary, self.examples) = (program, summary, examples)
        (self.globals, self.commands) = (globals, commands)
    }

    /// The first words of all commands, without repetition.
    var firstWords: [String] {
        commands.reduce(into: []) { words, command in
            if let first = command.words.first, !words.contains(first) { words.append(first) }
        }
    }

    /// The commands that begin with a noun.
    func commands(under noun: String) -> [Command] {
        commands.filter { $0.words.count == 2 && $0.words[0] == noun }
    }

    /// The command of this name.
    func command(_ name: String) -> Command? {
        commands.first { $0.name == name }
    }

    /// Every variable that stands in for an option.
    public var variables: Set<String> {
        Set((globals + commands.flatMap(\.options)).compactMap(\.variable))
    }

    /// What is wrong with the grammar itself; for a test of the program that declares it.
    public func problems() -> [String] {
        var problems: [String] = []
        var seen: Set<String> = []
        for command in commands {
            if !(1...2).contains(command.words.count) { problems.append("\(command.name): one or two words") }
            if !seen.insert(command.name).inserted { problems.append("\(command.name): declared twice") }
            if command.words.count == 1 && !commands(under: command.name).isEmpty {
                problems.append("\(command.name): both a command and a noun")
            }
            if command.examples.isEmpty { problems.append("\(command.name): no example") }
            problems += sentenceProblems(command) + optionProblems(command) + exampleProblems(command)
        }
        return problems
    }

    private func sentenceProblems(_ command: Command) -> [String] {
        let texts = [command.summary] + command.arguments.map(\.help) + command.options.map(\.help)
        return texts.filter { !$0.hasSuffix(".") }.map { "\(command.name): no sentence: \($0)" }
    }

    private func optionProblems(_ command: Command) -> [String] {
        var problems: [String] = []
        var names: Set<String> = ["help", "version"]
        var letters: Set<Character> = ["h"]
        for option in globals + command.options {
            if !names.insert(option.name).inserted { problems.append("\(command.name): --\(option.name) twice") }
            if let short = option.short, !letters.insert(short).inserted {
                problems.append("\(command.name): -\(short) twice")
            }
            if let variable = option.variable, !variable.hasPrefix("CARILLON_") {
                problems.append("\(command.name): \(variable) does not begin with CARILLON_")
            }
            if let fallback = option.fallback, case .failure = option.check(fallback) {
                problems.append("\(command.name): --\(option.name) does not take its own default")
            }
        }
        return problems
    }

    private func exampleProblems(_ command: Command) -> [String] {
        command.examples.compactMap { example in
            // Pipes and variables before the program are the shell's; only the part of this program is checked.
            let words = ShellWords.split(example.line)
            guard let start = words.firstIndex(of: program) else {
                return "\(command.name): example without \(program)"
            }
            let tail = words[(start + 1)...].prefix { !["|", "<", ">", "&", "&&", "#"].contains($0) }
            switch parse(Array(tail), environment: [:]) {
            case .success(.run(let invocation)) where invocation.command == command.name: return nil
            case .success: return "\(command.name): the example runs something else: \(example.line)"
            case .failure(let fault): return "\(command.name): \(example.line): \(fault)"
            }
        }
    }
}

/// Splits an example like a shell would: spaces, single and double quotes.
enum ShellWords {
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        return words
    }
}
