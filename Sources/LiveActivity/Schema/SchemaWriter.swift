extension SchemaSet {
    /// The schema file that says the same: `ActivitySchema.read` gives these types again.
    public var document: JSONValue {
        .object([
            JSONValue.Member("format", .integer(1)),
            JSONValue.Member("types", .object(types.map { JSONValue.Member($0.name, $0.document) })),
        ])
    }
}

extension ActivitySchema {
    fileprivate var document: JSONValue {
        var members = [
            JSONValue.Member("attributes", Shape.document(attributes)),
            JSONValue.Member("contentState", Shape.document(contentState)),
        ]
        if let monotoneField { members.append(JSONValue.Member("monotone", .string(monotoneField))) }
        return .object(members)
    }
}

extension Shape {
    fileprivate static func document(_ properties: [Property]) -> JSONValue {
        .object(properties.map { JSONValue.Member($0.name, $0.shape.document) })
    }

    private var document: JSONValue {
        if let spelling { return .string(spelling) }
        switch self {
        case .optional(let inner):
            guard case .object(let members) = inner.document, let member = members.first else { return inner.document }
            return .object([JSONValue.Member(member.name + "?", member.value)])
        case .array(let element): return Self.compound("array", element.document)
        case .dictionary(let integers, let value):
            return Self.dictionary(.string(integers ? "Int" : "String"), value.document)
        case .pairs(let key, let value): return Self.dictionary(key.document, value.document)
        case .enumeration(let names): return Self.compound("enum", .array(names.map { .string($0) }))
        case .numbers(let numbers): return Self.compound("enum", .array(numbers.map { .integer($0) }))
        case .cases(let cases):
            return Self.compound(
                "cases", .object(cases.map { JSONValue.Member($0.name, Self.document($0.values)) }))
        case .structure(let properties): return Self.compound("struct", Self.document(properties))
        default: return .null
        }
    }

    private static func compound(_ word: String, _ value: JSONValue) -> JSONValue {
        .object([JSONValue.Member(word, value)])
    }

    private static func dictionary(_ key: JSONValue, _ value: JSONValue) -> JSONValue {
        compound("dictionary", .object([JSONValue.Member("key", key), JSONValue.Member("value", value)]))
    }

    /// The type in Swift, where a schema file takes it so; nil for what needs an object.
    private var spelling: String? {
        switch self {
        case .integer(let type): type.rawValue
        case .double: "Double"
        case .boolean: "Bool"
        case .string: "String"
        case .date: "Date"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .duration: "Duration"
        case .optional(let inner): inner.spelling.map { $0 + "?" }
        case .array(let element): element.spelling.map { "[\($0)]" }
        case .dictionary(let integers, let value): value.spelling.map { "[\(integers ? "Int" : "String"): \($0)]" }
        case .pairs(let key, let value): key.spelling.flatMap { key in value.spelling.map { "[\(key): \($0)]" } }
        case .range(let bound): bound.spelling.map { "ClosedRange<\($0)>" }
        case .enumeration, .numbers, .cases, .structure: nil
        }
    }
}
