public import LiveActivity

extension ActivitySchema {
    /// Whether a `content-state` decodes.
    public func decodesState(_ value: JSONValue) -> Bool { Shape.structure(contentState).decodes(value) }

    /// Whether `attributes` decode.
    public func decodesAttributes(_ value: JSONValue) -> Bool { Shape.structure(attributes).decodes(value) }
}

extension Shape {
    /// Whether a plain `JSONDecoder` would decode `value` into this type.
    public func decodes(_ value: JSONValue) -> Bool {
        switch self {
        case .integer: Self.isInteger(value)
        case .double: value.double?.isFinite ?? false
        case .boolean: value.bool != nil
        case .string: value.string != nil
        case .date: value.double?.isFinite ?? false
        case .url: value.string.map { !$0.isEmpty } ?? false
        case .uuid: value.string.map { UUIDBits($0) != nil } ?? false
        case .data: value.string.map { Base64.decode($0.utf8) != nil } ?? false
        case .duration: value.array.map { $0.count == 2 && $0.allSatisfy(Self.isInteger) } ?? false
        case .optional(let wrapped): value == .null || wrapped.decodes(value)
        case .array(let element): value.array?.allSatisfy(element.decodes) ?? false
        case .dateRange: Self.isDateRange(value)
        case .enumeration(let names): value.string.map(names.contains) ?? false
        case .dictionary(let integers, let element): Self.isDictionary(value, integers, element)
        case .pairs(let key, let element): Self.arePairs(value, key, element)
        case .cases(let cases): Self.isCase(value, cases)
        case .structure(let properties): Self.isStructure(value, properties)
        }
    }

    private static func isInteger(_ value: JSONValue) -> Bool {
        switch value {
        case .integer: true
        case .decimal(let number): isWhole(number)
        default: false
        }
    }

    private static func isDateRange(_ value: JSONValue) -> Bool {
        guard let bounds = value.array, bounds.count == 2, let lower = bounds[0].double, let upper = bounds[1].double
        else { return false }
        return lower <= upper
    }

    private static func isDictionary(_ value: JSONValue, _ integers: Bool, _ element: Shape) -> Bool {
        guard let members = value.object else { return false }
        return members.allSatisfy { (!integers || Int64($0.name) != nil) && element.decodes($0.value) }
    }

    private static func arePairs(_ value: JSONValue, _ key: Shape, _ element: Shape) -> Bool {
        guard let entries = value.array, entries.count % 2 == 0 else { return false }
        return entries.indices.allSatisfy { $0 % 2 == 0 ? key.decodes(entries[$0]) : element.decodes(entries[$0]) }
    }

    private static func isCase(_ value: JSONValue, _ cases: [Case]) -> Bool {
        guard let members = value.object, members.count == 1,
            let known = cases.first(where: { $0.name == members[0].name })
        else { return false }
        return isStructure(members[0].value, known.values)
    }

    private static func isStructure(_ value: JSONValue, _ properties: [Property]) -> Bool {
        guard value.object != nil else { return false }
        return properties.allSatisfy { property in
            value[property.name].map(property.shape.decodes) ?? property.shape.isOptional
        }
    }
}
