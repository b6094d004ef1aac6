extension Grammar {
    /// Longest line of help.
    static let helpColumns = 100

    /// The help of the whole program: what it is, examples, commands.
    public func help() -> String {
        var page = HelpPage(summary)
        page.addExamples(examples)
        page.addUsage("\(program) [options] COMMAND [arguments]")
        page.addEntries("Commands", commands.map { ($0.name, $0.summary) })
        page.addEntries("Options", globals.map(entry) + closingEntries)
        page.add("\nEach command has help of its own: \(program) COMMAND --help\n")
        return page.text
    }

    /// The help of a noun: its verbs.
    func help(under noun: String) -> String {
        let commands = commands(under: noun)
        var page = HelpPage("Commands of \(program) \(noun).")
        page.addExamples(commands.compactMap(\.examples.first))
        page.addUsage("\(program) \(noun) COMMAND [options] [arguments]")
        page.addEntries("Commands", commands.map { ($0.name, $0.summary) })
        return page.text
    }

    /// The help of one command: what it does, examples, arguments, options.
    func help(for command: Command) -> String {
        var page = HelpPage(command.summary)
        page.addExamples(command.examples)
        page.addUsage(usage(command))
        if !command.details.isEmpty { page.addParagraphs(command.details) }
        page.addEntries("Arguments", command.arguments.map { ($0.name, $0.help) })
        page.addEntries("Options", command.options.map(entry))
        page.addEntries("Options of every command", globals.map(entry) + closingEntries)
        return page.text
    }

    /// `carillon channel create [options] APP NAME`.
    func usage(_ command: Command) -> String {
        let arguments = command.arguments.map { argument in
            let name = argument.name + (argument.isRepeated ? "…" : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        return ([program, command.name, "[options]"] + arguments).joined(separator: " ")
    }

    private var closingEntries: [(String, String)] {
        [("-h, --help", "Show help."), ("    --version", "Show the version.")]
    }

    private func entry(_ option: CommandOption) -> (String, String) {
        let letter = option.short.map { "-\($0), " } ?? "    "
        let value = option.placeholder.isEmpty ? "" : " " + option.placeholder
        return (letter + "--" + option.name + value, description(option))
    }

    /// The sentence of an option with what holds when it is not given.
    func description(_ option: CommandOption) -> String {
        var text = option.help
        if case .integer(let range) = option.kind { text += " \(range.lowerBound) to \(range.upperBound)." }
        if option.isRepeatable { text += " Can be repeated." }
        if option.isRequired { text += " Required." }
        if let fallback = option.fallback { text += " Default: \(fallback)." }
        if let variable = option.variable { text += " [\(variable)]" }
        return text
    }
}

/// Puts a page of help together.
struct HelpPage {
    private(set) var text: String

    init(_ summary: String) {
        text = Self.wrapped(summary, indent: 0)
    }

    mutating func add(_ more: String) { text += more }

    mutating func addExamples(_ examples: [CommandExample]) {
        guard !examples.isEmpty else { return }
        text += "\nExamples:\n"
        for example in examples { text += "  \(example.line)\n" + Self.wrapped(example.does, indent: 6) }
    }

    mutating func addUsage(_ usage: String) { text += "\nUsage: \(usage)\n" }

    mutating func addParagraphs(_ details: String) {
        for paragraph in details.split(separator: "\n\n") {
            text += "\n" + Self.wrapped(paragraph.split(separator: "\n").joined(separator: " "), indent: 0)
        }
    }

    /// Names to the left, sentences to the right; a long name has a line of its own.
    mutating func addEntries(_ title: String, _ entries: [(name: String, help: String)]) {
        guard !entries.isEmpty else { return }
        let column = min(30, entries.map { TextWidth.columns($0.name) + 4 }.max() ?? 0)
        text += "\n\(title):\n"
        for (name, help) in entries {
            let body = Self.wrapped(help, indent: column)
            let head = "  " + name
            if TextWidth.columns(head) + 2 > column {
                text += head + "\n" + body
            } else {
                text += TextWidth.padded(head, to: column) + body.drop { $0 == " " }
            }
        }
    }

    private static func wrapped(_ text: String, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && indent + line.count + 1 + word.count > Grammar.helpColumns {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return (lines + [line]).map { space + $0 + "\n" }.joined()
    }
}
