public import Codes

/// What a command line asks for.
public enum CommandLineRequest: Sendable, Hashable {
    /// Run a command.
    case run(Invocation)
    /// Print this text and end with 0.
    case help(String)
    /// Print the version and end with 0.
    case version
}

extension Grammar {
    /// Understands the arguments (without the program's name); options may stand anywhere, `--` ends them.
    ///
    /// An option wins over its variable, the variable over the default. Faults have usage codes and end with 64.
    public func parse(_ arguments: [String], environment: [String: String]) -> Result<CommandLineRequest, Fault> {
        var reader = CommandLineReader(grammar: self, environment: environment)
        do throws(Fault) {
            return .success(try reader.read(arguments))
        } catch {
            return .failure(error)
        }
    }
}

/// One pass over the arguments.
private struct CommandLineReader {
    let grammar: Grammar
    let environment: [String: String]
    private var words: [String] = []
    private var command: Command?
    private var given: [String: [String]] = [:]
    private var positionals: [String] = []
    private var rest: ArraySlice<String> = []

    init(grammar: Grammar, environment: [String: String]) {
        (self.grammar, self.environment) = (grammar, environment)
    }

    mutating func read(_ arguments: [String]) throws(Fault) -> CommandLineRequest {
        rest = arguments[...]
        if arguments.isEmpty { return .help(grammar.help()) }
        var optionsEnded = false
        while let token = rest.popFirst() {
            if optionsEnded || token == "-" || !token.hasPrefix("-") {
                try readWord(token)
            } else if token == "--" {
                optionsEnded = true
            } else if token == "--help" || token == "-h" {
                return .help(try help(words))
            } else if token == "--version" && command == nil {
                return .version
            } else {
                try readOption(token)
            }
            if words == ["help"] { return .help(try help(rest.filter { !$0.hasPrefix("-") })) }
        }
        return .run(try finish())
    }

    // MARK: Words

    private mutating func readWord(_ word: String) throws(Fault) {
        guard command == nil else {
            positionals.append(word)
            return
        }
        words.append(word)
        command = grammar.command(words.joined(separator: " "))
        if command == nil { try checkBeginning() }
    }

    /// Words that are no command yet must be able to become one.
    private func checkBeginning() throws(Fault) {
        if words == ["help"] { return }
        let verbs = grammar.commands(under: words[0]).map { $0.words[1] }
        if words.count == 1 && !verbs.isEmpty { return }
        let candidates = words.count == 1 ? grammar.firstWords : verbs
        let word = words[words.count - 1]
        var guess = Suggestion.phrase(for: word, among: candidates)
        if words.count == 2 && guess.isEmpty { guess = "; '\(words[0])' has \(verbs.joined(separator: ", "))" }
        throw Fault(.noSuchCommand, "unknown command '\(Printable.text(words.joined(separator: " ")))'\(guess)")
    }

    /// Help for what the words name: a command, a noun, or nothing yet.
    private func help(_ words: [String]) throws(Fault) -> String {
        let words = Array(words.prefix(2))
        guard let first = words.first else { return grammar.help() }
        if let command = grammar.command(words.joined(separator: " ")) ?? grammar.command(first) {
            return grammar.help(for: command)
        }
        if !grammar.commands(under: first).isEmpty { return grammar.help(under: first) }
        let guess = Suggestion.phrase(for: first, among: grammar.firstWords)
        throw Fault(.noSuchCommand, "unknown command '\(Printable.text(first))'\(guess)")
    }

    // MARK: Options

    private var known: [CommandOption] { grammar.globals + (command?.options ?? []) }

    private mutating func readOption(_ token: String) throws(Fault) {
        if token.hasPrefix("--") {
            let parts = token.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = known.first(where: { $0.name == name }) else { throw unknown("--" + name) }
            try take(option, attached: parts.count == 2 ? String(parts[1]) : nil, as: "--" + name)
        } else if Double(token) != nil && command != nil {
            positionals.append(token)
        } else {
            try readLetters(token)
        }
    }

    /// `-x`, `-xVALUE`, `-x=VALUE`, or several flags in one.
    private mutating func readLetters(_ token: String) throws(Fault) {
        var letters = token.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else { throw unknown("-\(letter)") }
            if option.kind == .flag {
                try take(option, attached: nil, as: "-\(letter)")
                continue
            }
            if letters.first == "=" { letters = letters.dropFirst() }
            try take(option, attached: letters.isEmpty ? nil : String(letters), as: "-\(letter)")
            return
        }
    }

    private mutating func take(_ option: CommandOption, attached: String?, as spelling: String) throws(Fault) {
        var value = attached ?? "true"
        if option.kind != .flag && attached == nil {
            guard let next = rest.first, next != "--", !next.hasPrefix("--") else {
                throw Fault(.optionValueMissing, "\(spelling) needs \(option.placeholder)")
            }
            value = next
            rest = rest.dropFirst()
        }
        if given[option.name] != nil && !option.isRepeatable && option.kind != .flag {
            throw Fault(.badOptionValue, "--\(option.name) is given twice")
        }
        given[option.name, default: []].append(try check(value, option, spelling))
    }

    private func check(_ value: String, _ option: CommandOption, _ place: String) throws(Fault) -> String {
        switch option.check(value) {
        case .success(let checked): return checked
        case .failure(let fault): throw Fault(fault.code, fault.detail, at: place)
        }
    }

    private func unknown(_ spelling: String) -> Fault {
        let elsewhere = grammar.commands.contains { command in
            command.options.contains { spelling == "--" + $0.name || spelling == $0.short.map { "-\($0)" } }
        }
        if command == nil && elsewhere {
            return Fault(.noSuchOption, "\(Printable.text(spelling)) belongs behind its command")
        }
        let names = (known.map { "--" + $0.name } + ["--help", "--version"])
        let guess = spelling.hasPrefix("--") ? Suggestion.phrase(for: spelling, among: names) : ""
        let owner = command.map { " of '\($0.name)'" } ?? ""
        return Fault(.noSuchOption, "unknown option \(Printable.text(spelling))\(owner)\(guess)")
    }

    // MARK: Completing

    private func finish() throws(Fault) -> Invocation {
        guard let command else {
            guard let noun = words.first else {
                throw Fault(
                    .incompleteCommand,
                    "a command is missing; the first word is one of "
                        + grammar.firstWords.joined(separator: ", "))
            }
            let verbs = grammar.commands(under: noun).map { $0.words[1] }.joined(separator: ", ")
            throw Fault(.incompleteCommand, "'\(noun)' needs one of \(verbs)")
        }
        var options: [String: Invocation.Value] = [:]
        for option in grammar.globals + command.options { options[option.name] = try value(option) }
        return Invocation(command: command.name, options: options, positionals: try assign(command))
    }

    private func value(_ option: CommandOption) throws(Fault) -> Invocation.Value {
        if let texts = given[option.name] { return Invocation.Value(texts: texts, origin: .commandLine) }
        if let name = option.variable, let text = environment[name], !text.isEmpty {
            let checked = try check(text, option, "environment variable \(name)")
            return Invocation.Value(texts: [checked], origin: .environment)
        }
        if let fallback = option.fallback { return Invocation.Value(texts: [fallback], origin: .fallback) }
        if option.isRequired {
            let variable = option.variable.map { " or \($0)" } ?? ""
            throw Fault(.argumentMissing, "--\(option.name) \(option.placeholder)\(variable) is missing")
        }
        return Invocation.Value()
    }

    private func assign(_ command: Command) throws(Fault) -> [String: [String]] {
        var assigned: [String: [String]] = [:]
        var waiting = positionals[...]
        for argument in command.arguments {
            if argument.isRepeated {
                assigned[argument.name] = Array(waiting)
                waiting = []
            } else {
                assigned[argument.name] = waiting.popFirst().map { [$0] } ?? []
            }
            if assigned[argument.name]?.isEmpty == true && !argument.isOptional {
                throw Fault(
                    .argumentMissing, "'\(command.name)' needs \(argument.name): \(argument.help.lowercasedFirst)")
            }
        }
        if let extra = waiting.first {
            throw Fault(.tooManyArguments, "'\(command.name)' does not take '\(Printable.text(extra))'")
        }
        return assigned
    }
}

extension String {
    /// A sentence that goes on inside another: its first letter small, its full stop gone.
    fileprivate var lowercasedFirst: String {
        let text = hasSuffix(".") ? String(dropLast()) : self
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
