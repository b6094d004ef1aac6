/// Spelled types.
extension SchemaMaker {
    private static let modules: Set<String> = ["Swift", "Foundation", "ActivityKit", "CoreFoundation"]

    /// The shape of a type as it is spelled inside `scope`; nil when it is not understood, which is noted.
    mutating func shape(_ spelling: TypeSpelling, _ scope: Scope) -> Shape? {
        switch spelling {
        case .optional(let inner):
            guard let shape = shape(inner, scope) else { return nil }
            return shape.isOptional ? shape : .optional(shape)
        case .array(let element): return shape(element, scope).map { .array($0) }
        case .dictionary(let key, let value): return dictionary(key, value, scope)
        case .other(let what, let place): return refuse("\(what) is not understood", place)
        case .named(let path, let arguments, let place): return named(path, arguments, place, scope)
        }
    }

    private mutating func dictionary(_ key: TypeSpelling, _ value: TypeSpelling, _ scope: Scope) -> Shape? {
        guard let keyShape = shape(key, scope), let valueShape = shape(value, scope) else { return nil }
        if case .named(let path, _, let place) = key, let (type, _) = lookUp(path, scope),
            type.parents.contains("CodingKeyRepresentable")
        {
            return refuse("\(type.name) is a CodingKeyRepresentable, which is not understood", place)
        }
        return .dictionary(from: keyShape, to: valueShape)
    }

    private mutating func named(
        _ path: [String], _ arguments: [TypeSpelling], _ place: SourcePlace, _ scope: Scope
    ) -> Shape? {
        guard mayGrow(place) else { return nil }
        if let (type, around) = lookUp(path, scope) { return declared(type, around, place) }
        if path.count == 2, Self.modules.contains(path[0]) { return builtIn(path[1], arguments, place, scope) }
        guard path.count == 1 else { return unknown(path, place) }
        return builtIn(path[0], arguments, place, scope)
    }

    private mutating func unknown(_ path: [String], _ place: SourcePlace) -> Shape? {
        refuse("\(path.joined(separator: ".")) is not declared in the files given", place)
    }

    private mutating func builtIn(
        _ name: String, _ arguments: [TypeSpelling], _ place: SourcePlace, _ scope: Scope
    ) -> Shape? {
        switch (name, arguments.count) {
        case ("Double", 0), ("Float", 0), ("CGFloat", 0), ("TimeInterval", 0), ("Decimal", 0): return .double
        case ("Bool", 0): return .boolean
        case ("String", 0): return .string
        case ("Date", 0): return .date
        case ("URL", 0): return .url
        case ("UUID", 0): return .uuid
        case ("Data", 0): return .data
        case ("Duration", 0): return .duration
        case ("Optional", 1): return shape(.optional(arguments[0]), scope)
        case ("Array", 1), ("Set", 1), ("ContiguousArray", 1): return shape(.array(arguments[0]), scope)
        case ("Dictionary", 2): return dictionary(arguments[0], arguments[1], scope)
        case ("ClosedRange", 1):
            guard let bound = shape(arguments[0], scope) else { return nil }
            return bound.isOrdered ? .range(bound) : refuse("a range of this type is not understood", place)
        default:
            if arguments.isEmpty, let integer = Shape.IntegerType(named: name) { return .integer(integer) }
            return unknown([name], place)
        }
    }

    /// The declaration that a path means inside `scope`, with the types around it.
    private func lookUp(_ path: [String], _ scope: Scope) -> (type: SourceType, around: Scope)? {
        for depth in stride(from: scope.count, to: 0, by: -1) {
            var around = Array(scope.prefix(depth))
            guard var type = around[depth - 1].type(path[0]) else { continue }
            around[depth - 1] = scope[depth - 1]
            for name in path.dropFirst() {
                guard let inner = type.type(name) else { return nil }
                around.append(type)
                type = inner
            }
            return (type, around)
        }
        return nil
    }
}
