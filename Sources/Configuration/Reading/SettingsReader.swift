internal import Codes

/// Reads sections out of the tree and the environment, and collects what is wrong instead of stopping at the first.
struct SettingsReader {
    /// A problem and where it sorts.
    private struct Problem {
        var position: SourcePosition
        var fault: Fault
    }

    private let file: String
    private let directory: String
    private let environment: [String: String]
    private var problems: [Problem] = []
    /// Warnings in the order found.
    private(set) var warnings: [Fault] = []
    /// Variables that override something here, and the key they override.
    private var variables: [String: String] = [:]
    /// Where each key and section got its value; for checks across keys.
    private var origins: [String: (place: String, position: SourcePosition)] = [:]

    init(file: String, environment: [String: String]) {
        self.file = file
        directory = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        self.environment = environment
    }

    /// Everything wrong so far, by place.
    var faults: [Fault] {
        // The sort must be stable: several problems can have one place.
        problems.enumerated().sorted { left, right in
            let (a, b) = (left.element.position, right.element.position)
            return (a.line, a.column, UInt32(left.offset)) < (b.line, b.column, UInt32(right.offset))
        }.map(\.element.fault)
    }

    /// Reads one section; an absent one has every default, and the environment is heard in either case.
    mutating func read<Section: SettingsSection>(
        _ path: String, _ entry: TomlEntry?, base: Section, fields: [Field<Section>] = Section.fields
    ) -> Section {
        var section = base
        if let entry { origins[path] = (place(entry.keyPosition), entry.keyPosition) }
        let entries = table(path, entry)
        refuseUnknown(entries, in: path, known: fields.map(\.name))
        for field in fields {
            read(field, path, entries.first { $0.key == field.name }, sectionIsThere: entry != nil, into: &section)
        }
        return section
    }

    /// Reads all sections `[path.NAME]`, by name.
    mutating func readAll<Section: NamedSection>(_ path: String, _ entry: TomlEntry?) -> [Section] {
        var sections: [Section] = []
        for named in table(path, entry) {
            guard TextForm.isName(named.key) else {
                report(.badValue, "'\(named.key)' is not \(TextForm.name.description)", named.keyPosition)
                continue
            }
            guard named.node.table != nil else {
                report(.unknownSetting, "[\(path)] has no keys of its own: write [\(path).NAME]", named.keyPosition)
                continue
            }
            var base = Section()
            base.name = named.key
            sections.append(read("\(path).\(named.key)", named, base: base))
        }
        return sections.sorted { $0.name < $1.name }
    }

    /// The entries of a table that must be a section; reports anything else.
    mutating func table(_ path: String, _ entry: TomlEntry?) -> [TomlEntry] {
        guard let entry else { return [] }
        if let entries = entry.node.table { return entries }
        report(.wrongType, "expected the section [\(path)], found \(entry.node.typeName)", entry.node.position)
        return []
    }

    /// Reports every entry that is not among the known keys.
    mutating func refuseUnknown(_ entries: [TomlEntry], in path: String, known: [String]) {
        for entry in entries where !known.contains(entry.key) {
            let what = entry.node.table == nil ? "key '\(entry.key)'" : "section '\(entry.key)'"
            let section = path.isEmpty ? "" : " in [\(path)]"
            var guess = Suggestion.phrase(for: entry.key, among: known)
            if let home = SectionDescription.home(of: entry.key), entry.node.table == nil {
                guess = "; it belongs to [\(home)]"
            }
            report(.unknownSetting, "unknown \(what)\(section)\(guess)", entry.keyPosition)
        }
    }

    private mutating func read<Section>(
        _ field: Field<Section>, _ path: String, _ entry: TomlEntry?, sectionIsThere: Bool, into section: inout Section
    ) {
        let key = "\(path).\(field.name)"
        let variable = Variables.name(of: key)
        if let other = variables[variable] {
            let position = origins[path]?.position ?? SourcePosition()
            report(.conflictingSettings, "\(key) and \(other) would share the variable \(variable)", position)
        }
        variables[variable] = key
        if let text = environment[variable] {
            origins[key] = ("environment variable \(variable)", SourcePosition(line: .max))
            store(field.type.check(variable: text), field, key, into: &section)
        } else if let entry {
            origins[key] = (place(entry.node.position), entry.node.position)
            store(field.type.check(entry.node), field, key, into: &section)
        } else {
            if field.required && sectionIsThere {
                report(.settingMissing, "key '\(field.name)' is missing in [\(path)]", at: path)
            }
            resolve(field, &section)
        }
    }

    private mutating func store<Section>(
        _ result: Result<FieldValue, Fault>, _ field: Field<Section>, _ key: String, into section: inout Section
    ) {
        switch result {
        case .success(let value):
            field.set(&section, value)
            resolve(field, &section)
        case .failure(let fault): report(fault.code, "\(field.name): \(fault.detail)", at: key)
        }
    }

    /// Makes a relative path relative to the directory of the file.
    private func resolve<Section>(_ field: Field<Section>, _ section: inout Section) {
        guard case .path = field.type, case .text(let path) = field.get(section), !path.isEmpty, !path.hasPrefix("/")
        else { return }
        field.set(&section, .text(directory + path))
    }

    /// Reports a problem at a key or section read before.
    mutating func report(_ code: Code, _ detail: String, at key: String) {
        let origin = origins[key] ?? (file, SourcePosition())
        problems.append(Problem(position: origin.position, fault: Fault(code, detail, at: origin.place)))
    }

    /// Whether a key or section was written or overridden.
    func knows(_ key: String) -> Bool { origins[key] != nil }

    /// Reports a problem at a position of the file.
    mutating func report(_ code: Code, _ detail: String, _ position: SourcePosition) {
        problems.append(Problem(position: position, fault: Fault(code, detail, at: place(position))))
    }

    /// Adds a warning at a key read before.
    mutating func warn(_ code: Code, _ detail: String, at key: String) {
        warnings.append(Fault(code, detail, at: origins[key]?.place ?? file))
    }

    /// Warns of every `CARILLON_` variable that overrides nothing and is none of `others`.
    mutating func warnOfUnknownVariables(others: Set<String>) {
        let known = others.union(variables.keys).sorted()
        for name in environment.keys.sorted()
        where name.hasPrefix(Variables.prefix) && variables[name] == nil && !others.contains(name) {
            let guess = Suggestion.phrase(for: name, among: known)
            warnings.append(
                Fault(.unknownVariable, "overrides nothing\(guess)", at: "environment variable \(name)"))
        }
    }

    private func place(_ position: SourcePosition) -> String {
        position.line == 0 ? file : "\(file):\(position.line):\(position.column)"
    }
}
