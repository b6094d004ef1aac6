/// Just enough of Swift's lexer to tell code from comments and strings.
enum SwiftText {
    /// The text with every character of comments and of string contents replaced by a space; line breaks stay.
    static func blanked(_ text: String) -> String {
        var blanker = Blanker(input: Array(text.utf8))
        blanker.run()
        return String(decoding: blanker.output, as: UTF8.self)
    }
}

private struct Blanker {
    let input: [UInt8]
    var output: [UInt8] = []
    private var index = 0

    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")

    init(input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    mutating func run() {
        while index < input.count {
            if at("//") {
                while index < input.count && input[index] != UInt8(ascii: "\n") { blank() }
            } else if at("/*") {
                blockComment()
            } else if input[index] == Self.quote || hashesBeforeQuote() > 0 {
                string(hashes: hashesBeforeQuote())
            } else {
                keep()
            }
        }
    }

    private func at(_ word: StaticString, offset: Int = 0) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + offset + count <= input.count else { return false }
        for position in 0..<count where input[index + offset + position] != word.utf8Start[position] { return false }
        return true
    }

    private func hashesBeforeQuote() -> Int {
        var count = 0
        while index + count < input.count && input[index + count] == Self.hash { count += 1 }
        return index + count < input.count && input[index + count] == Self.quote ? count : 0
    }

    private mutating func keep() {
        output.append(input[index])
        index += 1
    }

    private mutating func blank() {
        output.append(input[index] == UInt8(ascii: "\n") ? input[index] : UInt8(ascii: " "))
        index += 1
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where index < input.count { blank() }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if at("/*") {
                depth += 1
                blank(2)
            } else if at("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && index < input.count
    }

    private mutating func string(hashes: Int) {
        blank(hashes)
        let isMultiline = at("\"\"\"")
        blank(isMultiline ? 3 : 1)
        while index < input.count {
            if closes(isMultiline, hashes) {
                blank((isMultiline ? 3 : 1) + hashes)
                return
            }
            if !isMultiline && input[index] == UInt8(ascii: "\n") { return }
            if input[index] == UInt8(ascii: "\\") && escapes(hashes) {
                blank(1 + hashes)
                if at("(") { interpolation() } else { blank(1) }
            } else {
                blank()
            }
        }
    }

    private func closes(_ isMultiline: Bool, _ hashes: Int) -> Bool {
        guard isMultiline ? at("\"\"\"") : input[index] == Self.quote else { return false }
        return hashesFollow(isMultiline ? 3 : 1, hashes)
    }

    private func escapes(_ hashes: Int) -> Bool { hashesFollow(1, hashes) }

    private func hashesFollow(_ offset: Int, _ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { index + offset + $0 < input.count && input[index + offset + $0] == Self.hash }
    }

    /// Blanks what is interpolated as well, strings inside it included.
    private mutating func interpolation() {
        var depth = 0
        repeat {
            if at("(") { depth += 1 }
            if at(")") { depth -= 1 }
            if input[index] == Self.quote || hashesBeforeQuote() > 0 {
                string(hashes: hashesBeforeQuote())
            } else {
                blank()
            }
        } while depth > 0 && index < input.count
    }
}
