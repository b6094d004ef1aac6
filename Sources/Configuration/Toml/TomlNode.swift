/// A place in a file, both counted from 1; 0 when the parser does not know.
struct SourcePosition: Sendable, Hashable {
    var line: UInt32 = 0
    var column: UInt32 = 0
}

/// A value of a TOML document with its place.
struct TomlNode: Sendable, Equatable {
    /// What a value can be.
    indirect enum Value: Sendable, Equatable {
        case table([TomlEntry])
        case array([TomlNode])
        case string(String)
        case integer(Int64)
        case number(Double)
        case boolean(Bool)
        /// Dates and times; no setting takes one.
        case date
    }

    var value: Value
    var position: SourcePosition

    /// The entries of a table; nil for anything else.
    var table: [TomlEntry]? {
        guard case .table(let entries) = value else { return nil }
        return entries
    }

    /// What a person would call the value.
    var typeName: String {
        switch value {
        case .table: "a section"
        case .array: "a list"
        case .string: "text"
        case .integer: "a whole number"
        case .number: "a fraction"
        case .boolean: "true or false"
        case .date: "a date"
        }
    }
}

/// A key of a table with its own place and its value.
struct TomlEntry: Sendable, Equatable {
    var key: String
    var keyPosition: SourcePosition
    var node: TomlNode
}
