/// Takes Swift source apart. Any bytes are taken; what cannot be Swift ends in a trouble, never in a trap.
struct SourceTokeniser {
    private static let directives: Set<String> = [
        "if", "elseif", "else", "endif", "sourceLocation", "warning", "error",
    ]

    private let bytes: [UInt8]
    private let file: Int
    private var place = 0
    private var startsLine = true
    private var touches = false

    private init(_ bytes: [UInt8], file: Int) {
        self.bytes = bytes
        self.file = file
    }

    /// All tokens of a file, the last one `end`. Both branches of conditional compilation are read.
    static func tokens(of bytes: [UInt8], file: Int) throws(SourceTrouble) -> [SourceToken] {
        var tokeniser = SourceTokeniser(bytes, file: file)
        var tokens: [SourceToken] = []
        while let token = try tokeniser.next() { tokens.append(token) }
        tokens.append(
            SourceToken(kind: .end, text: "", offset: bytes.count, startsLine: true, touches: false))
        return tokens
    }

    private mutating func next() throws(SourceTrouble) -> SourceToken? {
        touches = place > 0
        while try skipBlank() { touches = false }
        guard let byte = peek() else { return nil }
        let start = place
        defer { startsLine = false }
        switch byte {
        case UInt8(ascii: "`"): return try quoted(start)
        case UInt8(ascii: "\""): return try string(start, hashes: 0)
        case UInt8(ascii: "#"):
            var hashes = 0
            while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
            if peek(hashes) == UInt8(ascii: "\"") { return try string(start, hashes: hashes) }
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return number(start)
        case _ where Self.isLetter(byte):
            while let byte = peek(), Self.isLetter(byte) || Self.isDigit(byte) { place += 1 }
            return token(.word, start..<place, start)
        default: break
        }
        place += 1
        return token(.mark, start..<place, start)
    }

    private func token(_ kind: SourceToken.Kind, _ range: Range<Int>, _ start: Int) -> SourceToken {
        SourceToken(
            kind: kind, text: String(decoding: bytes[range], as: UTF8.self), offset: start, startsLine: startsLine,
            touches: touches)
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        place + ahead < bytes.count ? bytes[place + ahead] : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    // MARK: - What means nothing

    /// Skips one blank, comment or directive; false when there is none.
    private mutating func skipBlank() throws(SourceTrouble) -> Bool {
        guard let byte = peek() else { return false }
        switch byte {
        case 0x0A, 0x0D:
            startsLine = true
            place += 1
            return true
        case 0x20, 0x09, 0x0B, 0x0C, 0:
            place += 1
            return true
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
            skipLine()
            return true
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            try skipComment()
            return true
        case UInt8(ascii: "#") where startsLine && isDirective:
            skipLine()
            return true
        default: return false
        }
    }

    private var isDirective: Bool {
        var end = place + 1
        while end < bytes.count, Self.isLetter(bytes[end]) { end += 1 }
        return Self.directives.contains(String(decoding: bytes[place + 1..<end], as: UTF8.self))
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != 0x0A, byte != 0x0D { place += 1 }
    }

    private mutating func skipComment() throws(SourceTrouble) {
        let start = place
        var depth = 0
        repeat {
            guard let byte = peek() else { throw trouble(start, "the comment does not end") }
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                place += 2
            } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                place += 2
            } else {
                if byte == 0x0A { startsLine = true }
                place += 1
            }
        } while depth > 0
    }

    private func trouble(_ offset: Int, _ problem: String) -> SourceTrouble {
        SourceTrouble(file: file, offset: offset, problem: problem)
    }

    // MARK: - Literals

    private mutating func quoted(_ start: Int) throws(SourceTrouble) -> SourceToken {
        place += 1
        while let byte = peek(), byte != UInt8(ascii: "`"), byte != 0x0A { place += 1 }
        guard peek() == UInt8(ascii: "`") else { throw trouble(start, "the name in backticks does not end") }
        place += 1
        return token(.quoted, start + 1..<place - 1, start)
    }

    private mutating func number(_ start: Int) -> SourceToken {
        while let byte = peek() {
            let isFraction =
                byte == UInt8(ascii: ".") && peek(1).map(Self.isDigit) ?? false
                && !bytes[start..<place].contains(UInt8(ascii: "."))
            guard Self.isDigit(byte) || Self.isLetter(byte) || isFraction else { break }
            place += 1
        }
        return token(.number, start..<place, start)
    }

    private mutating func string(_ start: Int, hashes: Int) throws(SourceTrouble) -> SourceToken {
        place += hashes
        let isLong = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        place += quotes
        let contents = place
        var isComplex = isLong
        while true {
            guard let byte = peek(), isLong || byte != 0x0A else { throw trouble(start, "the string does not end") }
            if byte == UInt8(ascii: "\""), endsString(quotes: quotes, hashes: hashes) { break }
            if byte == UInt8(ascii: "\\"), isEscape(hashes) {
                isComplex = true
                place += 1 + hashes
                if peek() == UInt8(ascii: "(") { try skipInterpolation(start) } else if peek() != nil { place += 1 }
            } else {
                place += 1
            }
        }
        let end = place
        place += quotes + hashes
        return token(isComplex ? .complexString : .string, contents..<end, start)
    }

    private func endsString(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
    }

    /// From the opening parenthesis to after the closing one; strings inside are taken as plain ones.
    private mutating func skipInterpolation(_ start: Int) throws(SourceTrouble) {
        var depth = 0
        var isInString = false
        repeat {
            guard let byte = peek() else { throw trouble(start, "the string does not end") }
            switch byte {
            case UInt8(ascii: "\\") where isInString: place += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "(") where !isInString: depth += 1
            case UInt8(ascii: ")") where !isInString: depth -= 1
            default: break
            }
            place += 1
        } while depth > 0
    }
}
