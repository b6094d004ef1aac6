/// Recursive descent over the declarations of a file. It reads what a schema needs and skips the bodies of everything
/// else.
struct SourceParser {
    static let depthMax = 32
    static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "package", "open", "static", "final", "lazy", "weak", "unowned",
        "mutating", "nonmutating", "override", "required", "convenience", "dynamic", "optional", "indirect",
        "nonisolated", "isolated", "prefix", "postfix", "infix", "async", "distributed", "consuming", "borrowing",
    ]

    /// What stands before a declaration.
    struct Prefix {
        var attributes: [String] = []
        var modifiers: Set<String> = []
    }

    let file: Int
    private let tokens: [SourceToken]
    var index = 0

    init(tokens: [SourceToken], file: Int) {
        self.tokens = tokens
        self.file = file
    }

    var token: SourceToken { tokens[index] }
    var place: SourcePlace { SourcePlace(file: file, offset: token.offset) }

    /// The token after; `end` for ever at the end.
    func ahead(_ count: Int = 1) -> SourceToken { tokens[min(index + count, tokens.count - 1)] }

    mutating func advance() { if index < tokens.count - 1 { index += 1 } }

    mutating func take(_ character: Character) -> Bool {
        guard token.isMark(character) else { return false }
        advance()
        return true
    }

    func trouble(_ problem: String) -> SourceTrouble {
        SourceTrouble(file: file, offset: token.offset, problem: problem)
    }

    /// The whole file as the members of a type without name.
    mutating func parseFile() throws(SourceTrouble) -> SourceType {
        var scope = SourceType(kind: .other("file"), name: "", place: place)
        while token.kind != .end {
            // A stray brace at the outermost level closes nothing.
            if token.isMark("}") { throw trouble("a brace that closes nothing") }
            try declaration(&scope, depth: 0)
        }
        return scope
    }

    /// One declaration, or one token of what is none.
    mutating func declaration(_ scope: inout SourceType, depth: Int) throws(SourceTrouble) {
        let prefix = try self.prefix()
        guard token.kind == .word else {
            if token.isMark("{") || token.isMark("(") || token.isMark("[") { return try skipBalanced() }
            if !token.isMark("}") { advance() }
            return
        }
        switch token.text {
        case "struct": try type(.structure, &scope, depth)
        case "enum": try type(.enumeration, &scope, depth)
        case "class", "actor", "protocol": try type(.other(token.text), &scope, depth)
        case "extension": try type(.extension, &scope, depth)
        case "typealias": try alias(&scope)
        case "let", "var": try properties(prefix, &scope)
        case "case": try cases(&scope)
        case "func", "init", "subscript", "deinit": try function(prefix, &scope)
        case "import": skipLine()
        default: advance()
        }
    }

    /// Attributes and modifiers.
    private mutating func prefix() throws(SourceTrouble) -> Prefix {
        var prefix = Prefix()
        while true {
            if token.isMark("@"), ahead().isName {
                advance()
                prefix.attributes.append(token.text)
                advance()
                while token.isMark("."), ahead().isName {
                    advance()
                    advance()
                }
                if token.isMark("("), token.touches { try skipBalanced() }
            } else if token.kind == .word, Self.modifiers.contains(token.text) || isClassModifier {
                prefix.modifiers.insert(token.text)
                advance()
                if token.isMark("(") { try skipBalanced() }
            } else {
                return prefix
            }
        }
    }

    /// `class func` and `class var`, where `class` means static.
    private var isClassModifier: Bool {
        token.text == "class" && ["func", "var", "let"].contains(ahead().text) && ahead().kind == .word
    }

    private mutating func type(_ kind: SourceType.Kind, _ scope: inout SourceType, _ depth: Int) throws(SourceTrouble) {
        guard depth < Self.depthMax else { throw trouble("types are nested too deeply") }
        advance()
        guard token.isName else { throw trouble("a type without name") }
        var path = [token.text]
        var type = SourceType(kind: kind, name: token.text, place: place)
        advance()
        while take(".") {
            path.append(token.text)
            advance()
        }
        type.name = path[path.count - 1]
        type.extended = path
        type.isGeneric = token.isMark("<")
        while token.kind != .end, !token.isMark("{") {
            // Everything up to the body: generic parameters, parents, where clauses.
            if token.isName { type.parents.append(token.text) }
            if token.isMark("(") { try skipBalanced() } else { advance() }
        }
        guard take("{") else { throw trouble("\(type.name) has no body") }
        while !token.isMark("}") {
            guard token.kind != .end else { throw trouble("\(type.name) does not end") }
            try declaration(&type, depth: depth + 1)
        }
        advance()
        scope.types.append(type)
    }

    private mutating func alias(_ scope: inout SourceType) throws(SourceTrouble) {
        advance()
        let start = place
        let name = token.text
        advance()
        guard take("=") else { return skipLine() }
        scope.types.append(SourceType(kind: .alias(try spelling(depth: 0)), name: name, place: start))
    }

    /// Skips a function; notes `init(from:)`.
    private mutating func function(_ prefix: Prefix, _ scope: inout SourceType) throws(SourceTrouble) {
        let start = place
        if token.text == "init" {
            var look = 1
            if ahead(look).isMark("?") || ahead(look).isMark("!") { look += 1 }
            if ahead(look).isMark("("), ahead(look + 1).isWord("from") { scope.decoder = start }
        }
        advance()
        while token.kind != .end, !token.isMark("{"), !token.isMark("}") {
            if token.isMark("(") || token.isMark("[") { try skipBalanced() } else { advance() }
        }
        if token.isMark("{") { try skipBalanced() }
    }

    // MARK: - Skipping

    mutating func skipLine() {
        repeat { advance() } while token.kind != .end && !token.startsLine
    }

    /// From an opening bracket to after the one that closes it.
    mutating func skipBalanced() throws(SourceTrouble) {
        let start = trouble("a bracket that is not closed")
        var open: [Character] = []
        repeat {
            guard token.kind != .end else { throw start }
            if token.kind == .mark, let character = token.text.first {
                switch character {
                case "(": open.append(")")
                case "[": open.append("]")
                case "{": open.append("}")
                case ")", "]", "}":
                    guard open.popLast() == character else { throw trouble("a bracket that closes another one") }
                default: break
                }
            }
            advance()
        } while !open.isEmpty
    }
}
