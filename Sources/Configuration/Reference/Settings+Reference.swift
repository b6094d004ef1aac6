public import Codes

extension Settings {
    /// Docs/Reference/Configuration.md, made from the table that also checks the file.
    public static let reference: String = {
        var text = referenceOpening
        for section in SectionDescription.all { text += "\n" + rendered(section) }
        return text
    }()

    private static let referenceOpening = """
        # Configuration

        Made from the table of keys in `Sources/Configuration`; do not edit. `cluster.toml` at the root of the
        repository shows every section with values that run as they stand.

        - The first key of the file is `config_version = \(version)`.
        - The environment wins over the file, and a command's option over both. A variable's name is `CARILLON_`, the
          section, and the key, in capitals with `_` for everything else; lists are separated by commas. A `CARILLON_`
          variable that overrides nothing is a warning at every start.
        - An unknown section or key is an error, and so is a number outside its range: no limit can be zero or negative.
          All problems come at once, each as `cluster.toml:line:column`.
        - Relative paths, also those in variables, are relative to the directory of the file.
        - Secrets are named by path only.
        - Names say their unit: `_ms` milliseconds, `_s` seconds, `_bytes` bytes, `_percent` of a hundred.
        - Every number about budgets is our choice, because Apple publishes none (Docs/APNs.md 5).

        """

    private static func rendered(_ section: SectionDescription) -> String {
        var text = "## [\(section.path)]\n\n\(section.summary)\n\n"
        text += "| key | takes | default | variable | meaning |\n|---|---|---|---|---|\n"
        for key in section.keys {
            let fallback = key.required ? "required" : "`\(literal(key.fallback))`"
            let variable = Variables.name(of: "\(section.path).\(key.name)")
            text += "| `\(key.name)` | \(key.type.description) | \(fallback) | `\(variable)` | \(key.meaning) |\n"
        }
        return text
    }

    /// What a key or section means: `delivery.connections`, `node.n1.producers`, `budget.app`.
    public static func explain(_ key: String) -> Result<String, Fault> {
        for section in SectionDescription.all {
            if matches(section, key) { return .success(explained(section)) }
            guard let dot = key.lastIndex(of: "."), matches(section, String(key[..<dot])) else { continue }
            let name = key[key.index(after: dot)...]
            if let found = section.keys.first(where: { $0.name == name }) {
                return .success(explained(found, key))
            }
        }
        let known = SectionDescription.all.flatMap { section in
            [section.path] + section.keys.map { "\(section.path).\($0.name)" }
        }
        return .failure(Fault(.unknownSetting, "no key '\(key)'\(Suggestion.phrase(for: key, among: known))"))
    }

    private static func matches(_ section: SectionDescription, _ path: String) -> Bool {
        guard section.isNamed, path.hasPrefix(section.path.dropLast(4)) else { return section.path == path }
        let name = String(path.dropFirst(section.path.count - 4))
        return name == "NAME" || TextForm.isName(name)
    }

    private static func explained(_ key: KeyDescription, _ path: String) -> String {
        """
        \(path)
          \(wrapped(key.meaning, width: 78).joined(separator: "\n  "))

          takes     \(key.type.description)
          default   \(key.required ? "none: required" : literal(key.fallback))
          variable  \(Variables.name(of: path))

        """
    }

    private static func explained(_ section: SectionDescription) -> String {
        let width = section.keys.map(\.name.count).max() ?? 0
        let lines = section.keys.map { key in
            "  " + key.name + String(repeating: " ", count: width - key.name.count + 2) + key.rule
        }
        return "[\(section.path)] \(section.summary)\n" + lines.joined(separator: "\n") + "\n"
    }
}
