/// Stored properties and cases.
extension SourceParser {
    /// Attributes that do not change what is decoded.
    private static let harmless: Set<String> = [
        "available", "MainActor", "objc", "usableFromInline", "inlinable", "preconcurrency", "backDeployed",
    ]

    /// `let a, b: Int`, `var c = 5 { didSet { … } }`.
    mutating func properties(_ prefix: Prefix, _ scope: inout SourceType) throws(SourceTrouble) {
        let isConstant = token.text == "let"
        advance()
        var found: [SourceProperty] = []
        repeat {
            let start = place
            guard token.isName else {
                found.append(problem("", start, "a pattern: declare each property by itself"))
                if token.isMark("(") { try skipBalanced() }
                try skipExpression()
                continue
            }
            let name = token.text
            advance()
            if let property = try property(name, isConstant, start) { found.append(property) }
        } while take(",")
        guard prefix.modifiers.isDisjoint(with: ["static", "class"]) else { return }
        fillTypes(&found)
        judge(&found, prefix)
        scope.properties += found
    }

    private func problem(_ name: String, _ place: SourcePlace, _ text: String) -> SourceProperty {
        SourceProperty(name: name, type: nil, isDecoded: true, problem: text, place: place)
    }

    /// Nil for a computed one.
    private mutating func property(
        _ name: String, _ isConstant: Bool, _ start: SourcePlace
    ) throws(SourceTrouble) -> SourceProperty? {
        var property = SourceProperty(name: name, type: nil, isDecoded: true, problem: nil, place: start)
        if take(":") { property.type = try spelling(depth: 0) }
        var hasValue = false
        if token.isMark("="), !ahead().isMark("=") {
            advance()
            hasValue = true
            let literal = token.isMark("-") && ahead().kind == .number ? 1 : 0
            let first = ahead(literal)
            let after = ahead(literal + 1)
            let wasAlone = after.startsLine || [";", ",", "}"].contains { after.isMark($0) }
            if property.type == nil { property.type = wasAlone ? literalType(first) : nil }
            try skipExpression()
        }
        property.isDecoded = !(isConstant && hasValue)
        if token.isMark("{") {
            let isStored = ahead().isWord("willSet") || ahead().isWord("didSet")
            try skipBalanced()
            guard isStored || hasValue else { return nil }
        }
        return property
    }

    private func literalType(_ token: SourceToken) -> TypeSpelling? {
        let name: String? =
            switch token.kind {
            case .string, .complexString: "String"
            case .number: token.text.contains(".") ? "Double" : "Int"
            case .word where token.text == "true" || token.text == "false": "Bool"
            default: nil
            }
        return name.map { .named([$0], arguments: [], SourcePlace(file: file, offset: token.offset)) }
    }

    /// In `let a, b: Int` the type of `b` is that of `a` too.
    private func fillTypes(_ properties: inout [SourceProperty]) {
        var type: TypeSpelling?
        for index in properties.indices.reversed() {
            if properties[index].type == nil, properties[index].isDecoded, properties[index].problem == nil {
                properties[index].type = type
            } else {
                type = properties[index].type
            }
        }
    }

    private func judge(_ properties: inout [SourceProperty], _ prefix: Prefix) {
        let wrapper = prefix.attributes.first { !Self.harmless.contains($0) }
        for index in properties.indices where properties[index].problem == nil {
            if let wrapper {
                properties[index].problem = "@\(wrapper): a property wrapper may change what is decoded"
            } else if prefix.modifiers.contains("lazy") {
                properties[index].problem = "lazy properties are not understood"
            } else if properties[index].type == nil, properties[index].isDecoded {
                properties[index].problem = "write the type of \(properties[index].name): its value does not tell it"
            }
        }
    }

    /// `case a, b = "x"`, `case moving(km: Double)`.
    mutating func cases(_ scope: inout SourceType) throws(SourceTrouble) {
        advance()
        repeat {
            let start = place
            guard token.isName else { throw trouble("a case without name") }
            let name = token.text
            advance()
            let values = token.isMark("(") ? try associatedValues() : []
            var rawValue: SourceToken?
            var isNegative = false
            if take("=") {
                isNegative = take("-")
                rawValue = token
                try skipExpression()
            }
            scope.cases.append(
                SourceCase(name: name, rawValue: rawValue, isNegative: isNegative, values: values, place: start))
        } while take(",")
    }

    private mutating func associatedValues() throws(SourceTrouble) -> [(label: String?, type: TypeSpelling)] {
        var values: [(label: String?, type: TypeSpelling)] = []
        advance()
        while !token.isMark(")") {
            guard token.kind != .end else { throw trouble("a bracket that is not closed") }
            var label: String?
            if token.isName, ahead().isMark(":") {
                label = token.text == "_" ? nil : token.text
                advance()
                advance()
            } else if token.isName, ahead().isName, ahead(2).isMark(":") {
                label = token.text == "_" ? nil : token.text
                for _ in 0..<3 { advance() }
            }
            values.append((label, try spelling(depth: 0)))
            if take("=") { try skipExpression(inBrackets: true) }
            guard take(",") || token.isMark(")") else { throw trouble("this associated value is not understood") }
        }
        advance()
        return values
    }

    /// Skips a value up to what ends it: a comma, a semicolon, a closing bracket, accessors, or a line that does not
    /// go on with it.
    mutating func skipExpression(inBrackets: Bool = false) throws(SourceTrouble) {
        var previousJoins = true
        while token.kind != .end {
            if token.startsLine, !previousJoins, !joins(token), !inBrackets { return }
            if token.kind == .mark, let character = token.text.first {
                switch character {
                case ",", ";", ")", "]", "}": return
                case "{" where !previousJoins && isAccessors: return
                case "(", "[", "{":
                    try skipBalanced()
                    previousJoins = false
                    continue
                case "<":
                    if skipGenericArguments() {
                        previousJoins = false
                        continue
                    }
                default: break
                }
            }
            previousJoins = joins(token) && !(token.isMark("?") || token.isMark("!"))
            advance()
        }
    }

    /// `{ didSet { … } }` behind a value.
    private var isAccessors: Bool { ahead().isWord("willSet") || ahead().isWord("didSet") }

    /// Operators and what goes on with the value of the line before.
    private func joins(_ token: SourceToken) -> Bool {
        switch token.kind {
        case .mark: !"@#{}()[];".contains(token.text)
        case .word: ["as", "is", "try", "await"].contains(token.text)
        default: false
        }
    }

    /// `Dictionary<String, Int>`: its comma does not end the value.
    private mutating func skipGenericArguments() -> Bool {
        guard token.touches, ahead().touches else { return false }
        let start = index
        do throws(SourceTrouble) {
            advance()
            repeat { _ = try spelling(depth: 0) } while take(",")
        } catch {
            index = start
            return false
        }
        guard take(">") else {
            index = start
            return false
        }
        return true
    }
}
