extension Settings {
    /// The annotated cluster.toml that runs as it stands; the file at the root of the repository is this text.
    public static let defaultFile: String = {
        var text = opening
        for section in SectionDescription.all { text += "\n" + rendered(section) }
        return text
    }()

    private static let opening = """
        # Carillon: one node on this machine, sending to the APNs simulator. The file runs as it stands:
        #
        #     carillon keys new --config cluster.toml --role node n1
        #     carillon keys new --config cluster.toml --role producer scores
        #     carillon keys new --config cluster.toml --role admin ops
        #     carillon apns-simulator --config cluster.toml
        #     carillon node --config cluster.toml --name n1
        #
        # - Every key of one section can be overridden: CARILLON_SECTION_KEY, for example
        #   CARILLON_DELIVERY_CONNECTIONS=4 or CARILLON_NODE_N1_PRODUCERS=tcp://*:7701; lists are separated by commas.
        # - Relative paths are relative to the directory of this file.
        # - Names say their unit: _ms milliseconds, _s seconds, _bytes bytes.
        # - `carillon config check` finds every mistake with its line; Docs/Reference/Configuration.md lists every key.

        # The version of this format.
        config_version = 1

        """

    private static func rendered(_ section: SectionDescription) -> String {
        var text = comment(section.summary)
        switch section.style {
        case .explained:
            text += "[\(section.examplePath)]\n"
            for key in section.keys {
                text += "\n" + comment(key.meaning) + "#   \(key.rule)\n" + assignment(key, section) + "\n"
            }
        case .like(let other):
            text += comment("Its keys are explained at [\(other)].") + "[\(section.examplePath)]\n"
            for key in section.keys { text += assignment(key, section) + "\n" }
        case .commented(let other):
            text += comment("Its keys are explained at [\(other)].") + "# [\(section.examplePath)]\n"
            for key in section.keys { text += "# " + assignment(key, section) + "\n" }
        }
        return text
    }

    private static func assignment(_ key: KeyDescription, _ section: SectionDescription) -> String {
        "\(key.name) = \(literal(section.values[key.name] ?? key.fallback))"
    }

    private static func comment(_ text: String) -> String {
        wrapped(text, width: 98).map { "# \($0)\n" }.joined()
    }

    /// Breaks text at spaces into lines of at most `width` characters, longer words aside.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
