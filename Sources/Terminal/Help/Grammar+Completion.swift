extension Grammar {
    /// A script for bash: `source <(carillon completion bash)`.
    ///
    /// Completes commands, options, the words of options, and files where a path is meant.
    public func bashCompletion() -> String {
        """
        # bash completion for \(program): source <(\(program) completion bash)
        _\(program)() {
            local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" first="" second="" i
            for ((i = 1; i < COMP_CWORD; i++)); do
                case "${COMP_WORDS[i]}" in
                    \(valueOptions)) ((i++)) ;;
                    -*) ;;
                    *) if [ -z "$first" ]; then first="${COMP_WORDS[i]}"
                       elif [ -z "$second" ]; then second="${COMP_WORDS[i]}"; fi ;;
                esac
            done
            COMPREPLY=()
            case "$previous" in
        \(valueCases)    esac
            case "$first" in
                "") COMPREPLY=($(compgen -W "\(beginnings)" -- "$word")); return ;;
        \(nounCases)    esac
            case "$first $second" in
        \(commandCases)    esac
        }
        complete -F _\(program) \(program)

        """
    }

    private var beginnings: String { (firstWords + ["help"] + names(globals)).joined(separator: " ") }

    private var allOptions: [CommandOption] { globals + commands.flatMap(\.options) }

    /// Options whose next word is a value, as a pattern.
    private var valueOptions: String {
        unique(allOptions.filter { $0.kind != .flag }.flatMap(spellings)).joined(separator: "|")
    }

    private var valueCases: String {
        var text = ""
        var seen: Set<String> = []
        for option in allOptions where option.kind != .flag {
            let fresh = spellings(option).filter { seen.insert($0).inserted }
            guard !fresh.isEmpty else { continue }
            let action: String
            switch option.kind {
            case .word(let words): action = "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
            case .path: action = "COMPREPLY=($(compgen -f -- \"$word\"))"
            default: action = ":"
            }
            text += "        \(fresh.joined(separator: "|"))) \(action); return ;;\n"
        }
        return text
    }

    private var nounCases: String {
        firstWords.compactMap { noun in
            let verbs = commands(under: noun).map { $0.words[1] }
            guard !verbs.isEmpty else { return nil }
            return "        \(noun)) if [ -z \"$second\" ]; then "
                + "COMPREPLY=($(compgen -W \"\(verbs.joined(separator: " "))\" -- \"$word\")); return; fi ;;\n"
        }.joined()
    }

    private var commandCases: String {
        commands.map { command in
            let pattern = command.words.count == 1 ? "\"\(command.name) \"*" : "\"\(command.name)\""
            let words = (names(command.options + globals) + ["--help"]).joined(separator: " ")
            let files = command.arguments.contains { $0.isPath } ? " -f" : ""
            return "        \(pattern)) COMPREPLY=($(compgen\(files) -W \"\(words)\" -- \"$word\")) ;;\n"
        }.joined()
    }

    private func names(_ options: [CommandOption]) -> [String] { options.map { "--" + $0.name } }

    private func spellings(_ option: CommandOption) -> [String] {
        ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
    }

    private func unique(_ words: [String]) -> [String] {
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }
}
