/// Turns declarations into shapes, as `Codable` would be synthesised for them.
struct SchemaMaker {
    /// Most shapes of one type, so that structs that repeat structs stay finite.
    static let shapesMax = 4096
    static let depthMax = 12

    /// The types around a place, the outermost first.
    typealias Scope = [SourceType]

    let root: SourceType
    private(set) var troubles: [SourceTrouble] = []
    private var shapes = 0
    /// Places of the types that are being expanded, against types that contain themselves.
    private var expanding: [SourcePlace] = []

    init(root: SourceType) {
        self.root = root
    }

    /// Every type that conforms to `ActivityAttributes` and is wholly understood.
    mutating func schemas() -> [ActivitySchema] {
        var schemas: [ActivitySchema] = []
        collect(root, [root], &schemas)
        return schemas
    }

    private mutating func collect(_ scope: SourceType, _ around: Scope, _ schemas: inout [ActivitySchema]) {
        for type in scope.types {
            if type.parents.contains("ActivityAttributes"), case .structure = type.kind {
                let before = troubles.count
                let schema = schema(type, around)
                if let schema, troubles.count == before { schemas.append(schema) }
            }
            collect(type, around + [type], &schemas)
        }
    }

    private mutating func schema(_ type: SourceType, _ around: Scope) -> ActivitySchema? {
        shapes = 0
        guard type.type("ContentState") != nil else {
            note("\(type.name) has no ContentState", type.place)
            return nil
        }
        let state = shape(.named(["ContentState"], arguments: [], type.place), around + [type])
        guard case .structure(let members)? = structure(type, around) else { return nil }
        switch state {
        case .structure(let contentState):
            return ActivitySchema(name: type.name, attributes: members, contentState: contentState)
        case nil: return nil
        default:
            note("the ContentState of \(type.name) is no struct", type.place)
            return nil
        }
    }

    mutating func note(_ problem: String, _ place: SourcePlace) {
        let trouble = SourceTrouble(file: place.file, offset: place.offset, problem: problem)
        if troubles.count < 64, !troubles.contains(trouble) { troubles.append(trouble) }
    }

    // MARK: - Structs and enums

    /// The shape of a declared type; nil when something in it is not understood, which is noted.
    mutating func declared(_ type: SourceType, _ around: Scope, _ use: SourcePlace) -> Shape? {
        if type.isGeneric { return refuse("\(type.name) is generic", use) }
        if let decoder = type.decoder { return refuse("init(from:) of \(type.name) is not understood", decoder) }
        guard !expanding.contains(type.place) else { return refuse("\(type.name) contains itself", use) }
        guard expanding.count < Self.depthMax else { return refuse("\(type.name) is nested too deeply", use) }
        expanding.append(type.place)
        defer { expanding.removeLast() }
        switch type.kind {
        case .structure: return structure(type, around)
        case .enumeration: return enumeration(type, around)
        case .alias(let spelling): return shape(spelling, around)
        case .other(let word): return refuse("\(type.name) is a \(word)", use)
        case .extension: return nil
        }
    }

    mutating func refuse(_ problem: String, _ place: SourcePlace) -> Shape? {
        note(problem, place)
        return nil
    }

    /// Counts a shape; false when there are too many.
    mutating func mayGrow(_ place: SourcePlace) -> Bool {
        shapes += 1
        if shapes > Self.shapesMax { note("the type is too large", place) }
        return shapes <= Self.shapesMax
    }

    private mutating func structure(_ type: SourceType, _ around: Scope) -> Shape? {
        if type.isGeneric { return refuse("\(type.name) is generic", type.place) }
        if let decoder = type.decoder { return refuse("init(from:) of \(type.name) is not understood", decoder) }
        guard let keys = codingKeys("CodingKeys", of: type) else { return nil }
        var members: [Shape.Property] = []
        var isWhole = true
        for property in type.properties where property.isDecoded {
            guard let key = keys.name(of: property.name) else { continue }
            if let problem = property.problem {
                note(problem, property.place)
                isWhole = false
            } else if let spelling = property.type, let shape = shape(spelling, around + [type]) {
                members.append(Shape.Property(key, shape))
            } else {
                isWhole = false
            }
        }
        return isWhole ? .structure(members) : nil
    }

    private mutating func enumeration(_ type: SourceType, _ around: Scope) -> Shape? {
        guard !type.cases.isEmpty else { return refuse("\(type.name) has no cases", type.place) }
        if type.parents.contains("String") { return strings(type) }
        if type.parents.contains(where: { Shape.IntegerType(named: $0) != nil }) { return numbers(type) }
        if let raw = type.parents.first(where: { ["Double", "Float", "Character"].contains($0) }) {
            return refuse("\(type.name) has raw values of type \(raw)", type.place)
        }
        guard let keys = codingKeys("CodingKeys", of: type) else { return nil }
        var cases: [Shape.Case] = []
        for item in type.cases {
            guard let values = associatedValues(item, type, around) else { return nil }
            if let name = keys.name(of: item.name) { cases.append(Shape.Case(name, values)) }
        }
        return .cases(cases)
    }

    private mutating func associatedValues(
        _ item: SourceCase, _ type: SourceType, _ around: Scope
    ) -> [Shape.Property]? {
        let capital = item.name.prefix(1).uppercased() + item.name.dropFirst()
        guard let labels = codingKeys(capital + "CodingKeys", of: type) else { return nil }
        var values: [Shape.Property] = []
        for (index, value) in item.values.enumerated() {
            guard let shape = shape(value.type, around + [type]) else { return nil }
            if let label = labels.name(of: value.label ?? "_\(index)") { values.append(Shape.Property(label, shape)) }
        }
        return values
    }

    private mutating func strings(_ type: SourceType) -> Shape? {
        var names: [String] = []
        for item in type.cases {
            switch item.rawValue?.kind {
            case nil: names.append(item.name)
            case .string: names.append(item.rawValue?.text ?? "")
            default: return refuse("the raw value of \(item.name) is no plain string", item.place)
            }
        }
        return .enumeration(names)
    }

    private mutating func numbers(_ type: SourceType) -> Shape? {
        var numbers: [Int64] = []
        for item in type.cases {
            guard let literal = item.rawValue else {
                numbers.append((numbers.last ?? -1) &+ 1)
                continue
            }
            let sign = item.isNegative ? "-" : ""
            guard literal.kind == .number, let value = Int64(sign + literal.text.filter { $0 != "_" }) else {
                return refuse("the raw value of \(item.name) is no plain number", item.place)
            }
            numbers.append(value)
        }
        return .numbers(numbers)
    }

    // MARK: - Coding keys

    /// What properties are called in JSON.
    private struct KeyNames {
        /// Nil when there is no such enum: everything keeps its name.
        var names: [String: String]?

        /// Nil for what is not decoded.
        func name(of property: String) -> String? { names.map { $0[property] } ?? property }
    }

    /// The keys that the type declares; nil when they are not understood, which is noted.
    private mutating func codingKeys(_ name: String, of type: SourceType) -> KeyNames? {
        guard let keys = type.type(name) else { return KeyNames() }
        guard case .enumeration = keys.kind else {
            note("\(name) of \(type.name) is no enum", keys.place)
            return nil
        }
        var names: [String: String] = [:]
        for item in keys.cases {
            switch item.rawValue?.kind {
            case nil: names[item.name] = item.name
            case .string: names[item.name] = item.rawValue?.text
            default:
                note("the key of \(item.name) is no plain string", item.place)
                return nil
            }
        }
        return KeyNames(names: names)
    }
}
