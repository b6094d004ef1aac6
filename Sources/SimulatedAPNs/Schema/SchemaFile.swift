public import LiveActivity

/// Why a schema cannot be read, with the place as a path of member names.
public struct SchemaFault: Error, Hashable, Sendable {
    /// For example `types.MatchAttributes.contentState.phase`.
    public var path: String
    /// What is wrong there.
    public var problem: String
}

extension ActivitySchema {
    /// Reads a schema document: `{"format":1,"types":{NAME:{"attributes":{…},"contentState":{…},"monotone":FIELD}}}`.
    /// A shape is the spelling of a Swift type, `{"enum":[…]}`, `{"cases":{…}}` or `{"struct":{…}}`; a `?` behind the member
    /// name `enum`, `cases` or `struct` makes it optional.
    public static func read(_ document: JSONValue) throws(SchemaFault) -> [ActivitySchema] {
        guard let types = document["types"]?.object else {
            throw SchemaFault(path: "types", problem: "must be an object of types")
        }
        var schemas: [ActivitySchema] = []
        for type in types { schemas.append(try read(type.name, type.value, "types." + type.name)) }
        return schemas
    }

    private static func read(_ name: String, _ value: JSONValue, _ path: String) throws(SchemaFault) -> ActivitySchema {
        guard let state = value["contentState"] else {
            throw SchemaFault(path: path, problem: "has no contentState")
        }
        var schema = ActivitySchema(
            name: name, contentState: try Shape.properties(state, path + ".contentState", depth: 0))
        if let attributes = value["attributes"] {
            schema.attributes = try Shape.properties(attributes, path + ".attributes", depth: 0)
        }
        if let field = value["monotone"]?.string {
            let isNumber = schema.contentState.contains {
                $0.name == field && ($0.shape == .integer || $0.shape == .double)
            }
            guard isNumber else { throw SchemaFault(path: path + ".monotone", problem: "must name an Int or Double") }
            schema.monotoneField = field
        }
        return schema
    }
}

extension Shape {
    static let depthMax = 16

    static func properties(_ value: JSONValue, _ path: String, depth: Int) throws(SchemaFault) -> [Property] {
        guard let members = value.object else { throw SchemaFault(path: path, problem: "must be an object") }
        var properties: [Property] = []
        for member in members {
            let inner = path + "." + member.name
            properties.append(Property(member.name, try shape(member.value, inner, depth: depth + 1)))
        }
        return properties
    }

    private static func shape(_ value: JSONValue, _ path: String, depth: Int) throws(SchemaFault) -> Shape {
        guard depth < depthMax else { throw SchemaFault(path: path, problem: "is nested too deeply") }
        if let name = value.string {
            guard let shape = Shape(named: name) else {
                throw SchemaFault(path: path, problem: "is no known type: \(name)")
            }
            return shape
        }
        guard let members = value.object, members.count == 1 else {
            throw SchemaFault(path: path, problem: "must be a type name, an enum, cases or a struct")
        }
        let isOptional = members[0].name.hasSuffix("?")
        let word = isOptional ? String(members[0].name.dropLast()) : members[0].name
        let shape = try compound(word, members[0].value, path, depth)
        return isOptional ? .optional(shape) : shape
    }

    private static func compound(
        _ word: String, _ value: JSONValue, _ path: String, _ depth: Int
    ) throws(SchemaFault) -> Shape {
        switch word {
        case "enum":
            guard let names = value.array?.compactMap(\.string), !names.isEmpty else {
                throw SchemaFault(path: path, problem: "enum must be an array of strings")
            }
            return .enumeration(names)
        case "cases":
            var cases: [Case] = []
            for member in value.object ?? [] {
                cases.append(
                    Case(member.name, try properties(member.value, path + "." + member.name, depth: depth + 1)))
            }
            guard !cases.isEmpty else { throw SchemaFault(path: path, problem: "cases must be an object of cases") }
            return .cases(cases)
        case "struct": return .structure(try properties(value, path, depth: depth + 1))
        default: throw SchemaFault(path: path, problem: "is no known kind of type: \(word)")
        }
    }
}
