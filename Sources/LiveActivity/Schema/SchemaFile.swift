public import Codes

/// Why a schema cannot be read, with the place as a path of member names.
public struct SchemaFault: Error, Hashable, Sendable {
    /// For example `types.MatchAttributes.contentState.phase`.
    public var path: String { steps.joined(separator: ".") }
    /// The member names of the path.
    public var steps: [String]
    /// What is wrong there.
    public var problem: String
}

extension ActivitySchema {
    /// Reads a schema file. Throws `schema-unreadable` with `place`, line and column.
    public static func read(_ bytes: [UInt8], place: String) throws(Fault) -> [ActivitySchema] {
        let limits = JSONLimits(bytesMax: 1_048_576, depthMax: 64, keysPerObjectMax: 1024)
        let document: JSONValue
        do throws(JSONFault) { document = try JSONValue(parsing: bytes.span, limits: limits) } catch {
            throw Fault(
                .schemaUnreadable, error.words, at: "\(place):\(JSONLocation(of: error.offset, in: bytes.span))")
        }
        do throws(SchemaFault) { return try read(document) } catch {
            let offset = JSONPlace.offset(of: error.steps, in: bytes.span, limits: limits)
            throw Fault(
                .schemaUnreadable, "\(error.path) \(error.problem)",
                at: "\(place):\(JSONLocation(of: offset, in: bytes.span))")
        }
    }

    /// Reads a schema document:
    /// `{"format":1,"types":{NAME:{"attributes":{…},"contentState":{…},"monotone":FIELD}}}`.
    /// A shape is the spelling of a Swift type such as `[String: Int]?`, or an object of one member: `{"enum":[…]}`
    /// with strings or whole numbers, `{"cases":{…}}`, `{"struct":{…}}`, `{"array":SHAPE}`,
    /// `{"dictionary":{"key":SHAPE,"value":SHAPE}}`; a `?` behind the member's name makes it optional.
    public static func read(_ document: JSONValue) throws(SchemaFault) -> [ActivitySchema] {
        guard let types = document["types"]?.object else {
            throw SchemaFault(steps: ["types"], problem: "must be an object of types")
        }
        var schemas: [ActivitySchema] = []
        for type in types { schemas.append(try read(type.name, type.value, ["types", type.name])) }
        return schemas
    }

    private static func read(_ name: String, _ value: JSONValue, _ path: [String]) throws(SchemaFault) -> ActivitySchema
    {
        guard let state = value["contentState"] else {
            throw SchemaFault(steps: path, problem: "has no contentState")
        }
        let contentState = try Shape.properties(state, path + ["contentState"], depth: 0)
        let attributes =
            if let members = value["attributes"] {
                try Shape.properties(members, path + ["attributes"], depth: 0)
            } else { [Shape.Property]() }
        let field = value["monotone"]?.string
        if let field {
            guard contentState.contains(where: { $0.name == field && $0.shape.isCount }) else {
                throw SchemaFault(steps: path + ["monotone"], problem: "must name an Int or Double")
            }
        }
        return ActivitySchema(
            name: name, attributes: attributes, contentState: contentState, monotoneField: field)
    }
}

extension Shape {
    static let depthMax = 16

    /// Whether it can be a monotone field.
    fileprivate var isCount: Bool {
        switch self {
        case .integer, .double: true
        default: false
        }
    }

    static func properties(_ value: JSONValue, _ path: [String], depth: Int) throws(SchemaFault) -> [Property] {
        guard let members = value.object else { throw SchemaFault(steps: path, problem: "must be an object") }
        var properties: [Property] = []
        for member in members {
            let inner = path + [member.name]
            properties.append(Property(member.name, try shape(member.value, inner, depth: depth + 1)))
        }
        return properties
    }

    private static func shape(_ value: JSONValue, _ path: [String], depth: Int) throws(SchemaFault) -> Shape {
        guard depth < depthMax else { throw SchemaFault(steps: path, problem: "is nested too deeply") }
        if let name = value.string {
            guard let shape = Shape(named: name) else {
                throw SchemaFault(steps: path, problem: "is no known type: \(name)")
            }
            return shape
        }
        guard let members = value.object, members.count == 1 else {
            throw SchemaFault(
                steps: path, problem: "must be a type name, an enum, cases, a struct, an array or a dictionary")
        }
        let isOptional = members[0].name.hasSuffix("?")
        let word = isOptional ? String(members[0].name.dropLast()) : members[0].name
        let shape = try compound(word, members[0].value, path + [members[0].name], depth)
        return isOptional ? .optional(shape) : shape
    }

    private static func enumeration(_ value: JSONValue, _ path: [String]) throws(SchemaFault) -> Shape {
        let elements = value.array ?? []
        let names = elements.compactMap(\.string)
        if !names.isEmpty, names.count == elements.count { return .enumeration(names) }
        let numbers = elements.compactMap(\.integer)
        guard !numbers.isEmpty, numbers.count == elements.count else {
            throw SchemaFault(steps: path, problem: "must be an array of strings, or of whole numbers")
        }
        return .numbers(numbers)
    }

    private static func compound(
        _ word: String, _ value: JSONValue, _ path: [String], _ depth: Int
    ) throws(SchemaFault) -> Shape {
        switch word {
        case "enum": return try enumeration(value, path)
        case "array": return .array(try shape(value, path, depth: depth + 1))
        case "dictionary":
            guard let key = value["key"], let element = value["value"] else {
                throw SchemaFault(steps: path, problem: "must have key and value")
            }
            return .dictionary(
                from: try shape(key, path + ["key"], depth: depth + 1),
                to: try shape(element, path + ["value"], depth: depth + 1))
        case "cases":
            var cases: [Case] = []
            for member in value.object ?? [] {
                cases.append(
                    Case(member.name, try properties(member.value, path + [member.name], depth: depth + 1)))
            }
            guard !cases.isEmpty else { throw SchemaFault(steps: path, problem: "must be an object of cases") }
            return .cases(cases)
        case "struct": return .structure(try properties(value, path, depth: depth + 1))
        default: throw SchemaFault(steps: path, problem: "is no known kind of type: \(word)")
        }
    }
}
