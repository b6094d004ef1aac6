/// Types as they are spelled.
extension SourceParser {
    /// One type. What is none of the known forms is skipped and comes back as `other`.
    mutating func spelling(depth: Int) throws(SourceTrouble) -> TypeSpelling {
        guard depth < Self.depthMax else { throw trouble("the type is nested too deeply") }
        while token.isMark("@"), ahead().isName {
            advance()
            advance()
        }
        let start = place
        var type = try base(depth)
        while token.isMark("?") || token.isMark("!"), !token.startsLine {
            type = .optional(type)
            advance()
        }
        if token.isMark("-"), ahead().isMark(">") {
            advance()
            advance()
            _ = try spelling(depth: depth + 1)
            return .other("a function", start)
        }
        if token.isMark("&") {
            advance()
            _ = try spelling(depth: depth + 1)
            return .other("a composition of protocols", start)
        }
        return type
    }

    private mutating func base(_ depth: Int) throws(SourceTrouble) -> TypeSpelling {
        let start = place
        if token.isMark("(") { return try parenthesised(depth) }
        if take("[") {
            let first = try spelling(depth: depth + 1)
            if take("]") { return .array(first) }
            guard take(":") else { throw trouble("this type is not understood") }
            let value = try spelling(depth: depth + 1)
            guard take("]") else { throw trouble("this type is not understood") }
            return .dictionary(key: first, value: value)
        }
        guard token.isName else { throw trouble("this type is not understood") }
        if token.isWord("any") || token.isWord("some") {
            let word = token.text
            advance()
            _ = try spelling(depth: depth + 1)
            return .other("an \(word) type", start)
        }
        return try named(start, depth)
    }

    private mutating func named(_ start: SourcePlace, _ depth: Int) throws(SourceTrouble) -> TypeSpelling {
        var path: [String] = []
        var arguments: [TypeSpelling] = []
        repeat {
            guard token.isName else { throw trouble("this type is not understood") }
            path.append(token.text)
            advance()
            if token.isMark("<"), token.touches {
                advance()
                repeat { arguments.append(try spelling(depth: depth + 1)) } while take(",")
                guard take(">") else { throw trouble("this type is not understood") }
            }
        } while takeDot()
        return .named(path, arguments: arguments, start)
    }

    private mutating func takeDot() -> Bool {
        guard token.isMark("."), ahead().isName, !token.startsLine else { return false }
        advance()
        return true
    }

    /// `(T)` is `T`; anything else in parentheses is a tuple, or the parameters of a function.
    private mutating func parenthesised(_ depth: Int) throws(SourceTrouble) -> TypeSpelling {
        let start = place
        let opening = index
        advance()
        if token.isName || token.isMark("[") || token.isMark("(") {
            do throws(SourceTrouble) {
                let inner = try spelling(depth: depth + 1)
                if take(")") { return inner }
            } catch {}
        }
        index = opening
        try skipBalanced()
        return .other("a tuple", start)
    }
}
