extension Grammar {
    /// Docs/Reference/CommandLine.md: every command with its examples and options.
    public func reference() -> String {
        var page = """
            # Command line

            Made from the command table; do not edit. An option wins over its variable, the variable over the
            configuration file, the file over the default. `--key value` and `--key=value` mean the same; `--` ends the
            options. Data goes to standard output, everything else to standard error.

            ## Options of every command

            \(optionTable(globals))
            """
        for command in commands { page += "\n" + section(command) }
        return page
    }

    private func section(_ command: Command) -> String {
        var text = "## \(program) \(command.name)\n\n\(command.summary)\n\n```\n"
        text += command.examples.map { "\($0.line)    # \($0.does)\n" }.joined() + "```\n\n"
        text += "`\(usage(command))`\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        if !command.arguments.isEmpty {
            text += "\n| argument | meaning |\n|---|---|\n"
            text += command.arguments.map { "| `\($0.name)` | \($0.help) |\n" }.joined()
        }
        if !command.options.isEmpty { text += "\n" + optionTable(command.options) }
        return text
    }

    private func optionTable(_ options: [CommandOption]) -> String {
        "| option | meaning | default | variable |\n|---|---|---|---|\n"
            + options.map { option in
                let letter = option.short.map { "-\($0), " } ?? ""
                let value = option.placeholder.isEmpty ? "" : " " + option.placeholder.replacing("|", with: "\\|")
                let fallback = option.isRequired ? "required" : option.fallback.map { "`\($0)`" } ?? ""
                let variable = option.variable.map { "`\($0)`" } ?? ""
                return "| `\(letter)--\(option.name)\(value)` | \(option.help) | \(fallback) | \(variable) |\n"
            }.joined()
    }
}

extension String {
    fileprivate func replacing(_ character: Character, with text: String) -> String {
        reduce(into: "") { $0 += $1 == character ? text : String($1) }
    }
}
