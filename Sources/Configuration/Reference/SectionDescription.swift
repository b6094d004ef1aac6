/// One key as the reference, the default file and `config explain` show it.
struct KeyDescription: Sendable {
    let name: String
    let type: FieldType
    let meaning: String
    let required: Bool
    /// The default.
    let fallback: FieldValue

    /// The part in parentheses: what it takes and what holds when it is not written.
    var rule: String {
        required ? "\(type.description); required" : "\(type.description); default \(literal(fallback))"
    }
}

/// One section as the reference and the default file show it.
struct SectionDescription: Sendable {
    /// How the default file shows it.
    enum Style: Sendable {
        /// Every key with its explanation.
        case explained
        /// Keys alone, because another section explains the same ones.
        case like(String)
        /// Keys alone and commented out, because another section explains the same ones and the presets usually hold.
        case commented(like: String)
    }

    /// `delivery`, `budget.app`, or `node.NAME` when there can be several.
    let path: String
    let summary: String
    let keys: [KeyDescription]
    let style: Style
    /// The name that the default file uses for a section of which there can be several.
    var example = ""
    /// What the default file writes where it differs from the defaults.
    var values: [String: FieldValue] = [:]
    var isNamed: Bool { path.hasSuffix(".NAME") }

    /// The header in the default file.
    var examplePath: String { isNamed ? path.dropLast(4) + example : path }

    static func plain<Section: SettingsSection>(
        _ path: String, _ base: Section, _ summary: String, style: Style = .explained,
        fields: [Field<Section>] = Section.fields, values: [String: FieldValue] = [:]
    ) -> SectionDescription {
        let keys = fields.map {
            KeyDescription(
                name: $0.name, type: $0.type, meaning: $0.meaning, required: $0.required, fallback: $0.get(base))
        }
        return SectionDescription(path: path, summary: summary, keys: keys, style: style, values: values)
    }

    static func named<Section: NamedSection>(
        _ path: String, _ type: Section.Type, _ summary: String, example: String, values: [String: FieldValue]
    ) -> SectionDescription {
        var description = plain(path + ".NAME", Section(), summary)
        description.example = example
        description.values = values
        return description
    }

    /// The first words of all paths.
    static let roots: [String] = all.reduce(into: []) { roots, section in
        let root = section.path.prefix { $0 != "." }
        if roots.last != String(root) { roots.append(String(root)) }
    }

    /// The only section that has a key of this name; nil when none or several have it.
    static func home(of key: String) -> String? {
        let homes = all.filter { $0.keys.contains { $0.name == key } }
        return homes.count == 1 ? homes[0].path : nil
    }
}

/// A value as TOML spells it.
func literal(_ value: FieldValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .number(let number): plain(number)
    case .boolean(let truth): truth ? "true" : "false"
    case .text(let text): quoted(text)
    case .list(let words): "[" + words.map(quoted).joined(separator: ", ") + "]"
    }
}

private func quoted(_ text: String) -> String {
    "\"" + text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) } + "\""
}
