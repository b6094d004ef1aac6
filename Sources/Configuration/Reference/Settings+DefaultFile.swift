extension Settings {
    /// Most nodes that `defaultFile(nodes:)` describes.
    public static let defaultNodesMax = 9

    /// The annotated cluster.toml that runs as it stands; the file at the root of the repository is this text.
    public static let defaultFile = defaultFile(nodes: 3)

    /// The same for 1 to 9 nodes on loopback, `n1` and so on.
    public static func defaultFile(nodes count: Int) -> String {
        let names = (1...min(max(count, 1), defaultNodesMax)).map { "n\($0)" }
        var text = opening(names)
        for var section in SectionDescription.all {
            if section.path == "cluster" { section.values["voters"] = .list(names) }
            text += "\n" + rendered(section)
            guard section.path == "node.NAME" else { continue }
            for (index, name) in names.enumerated().dropFirst() {
                text += "\n" + comment("Its keys are explained at [\(section.examplePath)].")
                text += plainly(
                    section.keys, SectionDescription.nodeExample(index + 1), at: section.path.dropLast(4) + name)
            }
        }
        return text
    }

    private static func opening(_ names: [String]) -> String {
        let size = names.count == 1 ? "a cluster of one node" : "a cluster of \(names.count) nodes"
        let all = names.joined(separator: " ")
        return """
            # Carillon: \(size) on this machine, sending to the APNs simulator. The file runs as it stands:
            #
            #     for name in \(all); do carillon keys new --config cluster.toml --role node $name; done
            #     carillon keys new --config cluster.toml --role producer scores
            #     carillon keys new --config cluster.toml --role admin ops
            #     carillon apns-simulator --config cluster.toml &
            #     for name in \(all); do carillon node --config cluster.toml --name $name & done
            #     carillon status --config cluster.toml --watch --exit-when-healthy
            #
            # - A cluster of one is a file with one [node.NAME]; it says so in its status.
            # - Every key of one section can be overridden: CARILLON_SECTION_KEY, for example
            #   CARILLON_DELIVERY_CONNECTIONS=4 or CARILLON_NODE_N1_PRODUCERS=tcp://*:7701; commas
            #   separate lists.
            # - Relative paths are relative to the directory of this file.
            # - Names say their unit: _ms milliseconds, _s seconds, _bytes bytes.
            # - `carillon config check` finds every mistake with its line; every key is in
            #   Docs/Reference/Configuration.md.

            # The version of this format.
            config_version = 1

            """
    }

    private static func rendered(_ section: SectionDescription) -> String {
        var text = comment(section.summary)
        switch section.style {
        case .explained:
            text += "[\(section.examplePath)]\n"
            for key in section.keys {
                text += "\n" + comment(key.meaning) + "#   \(key.rule)\n" + assignment(key, section.values) + "\n"
            }
        case .like(let other):
            text += comment("Its keys are explained at [\(other)].")
            text += plainly(section.keys, section.values, at: section.examplePath)
        case .commented(let other):
            text += comment("Its keys are explained at [\(other)].")
            let lines = plainly(section.keys, section.values, at: section.examplePath).split(separator: "\n")
            text += lines.map { "# \($0)\n" }.joined()
        }
        return text
    }

    private static func plainly(_ keys: [KeyDescription], _ values: [String: FieldValue], at path: String) -> String {
        "[\(path)]\n" + keys.map { assignment($0, values) + "\n" }.joined()
    }

    private static func assignment(_ key: KeyDescription, _ values: [String: FieldValue]) -> String {
        "\(key.name) = \(literal(values[key.name] ?? key.fallback))"
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
