/// One key of a section: what it takes, what it means, and where its value goes.
struct Field<Section>: Sendable {
    let name: String
    let type: FieldType
    /// Meaning and consequence, whole sentences.
    let meaning: String
    /// Must be written in the file: there is no sensible default.
    let required: Bool
    let set: @Sendable (inout Section, FieldValue) -> Void
    let get: @Sendable (Section) -> FieldValue

    /// A whole number in a range.
    static func integer(
        _ name: String, _ path: any WritableKeyPath<Section, Int> & Sendable, _ range: ClosedRange<Int64>,
        _ meaning: String
    ) -> Field {
        Field(name: name, type: .integer(range), meaning: meaning, required: false) { section, value in
            if case .integer(let number) = value { section[keyPath: path] = Int(number) }
        } get: {
            .integer(Int64($0[keyPath: path]))
        }
    }

    /// A number with or without a fraction.
    static func number(
        _ name: String, _ path: any WritableKeyPath<Section, Double> & Sendable, _ range: ClosedRange<Double>,
        _ meaning: String
    ) -> Field {
        Field(name: name, type: .number(range), meaning: meaning, required: false) { section, value in
            if case .number(let number) = value { section[keyPath: path] = number }
        } get: {
            .number($0[keyPath: path])
        }
    }

    /// true or false.
    static func boolean(
        _ name: String, _ path: any WritableKeyPath<Section, Bool> & Sendable, _ meaning: String
    ) -> Field {
        Field(name: name, type: .boolean, meaning: meaning, required: false) { section, value in
            if case .boolean(let truth) = value { section[keyPath: path] = truth }
        } get: {
            .boolean($0[keyPath: path])
        }
    }

    /// Text of a form.
    static func text(
        _ name: String, _ path: any WritableKeyPath<Section, String> & Sendable, _ form: TextForm, _ meaning: String,
        required: Bool = false
    ) -> Field {
        string(name, path, .text(form), meaning, required)
    }

    /// A file or directory.
    static func path(
        _ name: String, _ path: any WritableKeyPath<Section, String> & Sendable, _ meaning: String,
        optional: Bool = false,
        required: Bool = false
    ) -> Field {
        string(name, path, .path(optional: optional), meaning, required)
    }

    /// One word of an enumeration.
    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Section, Word> & Sendable, _ meaning: String, required: Bool = false
    ) -> Field {
        let words = Word.allCases.map(\.rawValue)
        return Field(name: name, type: .word(words), meaning: meaning, required: required) { section, value in
            if case .text(let text) = value, let word = Word(rawValue: text) { section[keyPath: path] = word }
        } get: {
            .text($0[keyPath: path].rawValue)
        }
    }

    /// A list of texts.
    static func list(
        _ name: String, _ path: any WritableKeyPath<Section, [String]> & Sendable, of form: TextForm, _ meaning: String,
        optional: Bool = false, required: Bool = false
    ) -> Field {
        Field(name: name, type: .list(of: form, optional: optional), meaning: meaning, required: required) {
            section, value in
            if case .list(let words) = value { section[keyPath: path] = words }
        } get: {
            .list($0[keyPath: path])
        }
    }

    private static func string(
        _ name: String, _ path: any WritableKeyPath<Section, String> & Sendable, _ type: FieldType, _ meaning: String,
        _ required: Bool
    ) -> Field {
        Field(name: name, type: type, meaning: meaning, required: required) { section, value in
            if case .text(let text) = value { section[keyPath: path] = text }
        } get: {
            .text($0[keyPath: path])
        }
    }
}

/// A struct of settings that is read from one section of the file.
protocol SettingsSection: Sendable {
    /// With every default.
    init()
    /// Its keys in the order of the reference.
    static var fields: [Field<Self>] { get }
}

/// A section of which there are several, each under a name of its own: `[node.n1]`.
protocol NamedSection: SettingsSection {
    /// The name in the section's header.
    var name: String { get set }
}
