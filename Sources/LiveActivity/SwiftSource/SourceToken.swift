/// A piece of Swift source that means something; comments and conditional compilation are left out.
struct SourceToken: Hashable {
    enum Kind: Hashable {
        /// A word that may be a keyword.
        case word
        /// A word in backticks, which is none.
        case quoted
        case number
        /// A string literal without escapes; the text is its contents.
        case string
        /// A string literal with escapes or interpolation, whose contents are not read.
        case complexString
        /// One character of punctuation.
        case mark
        case end
    }

    let kind: Kind
    let text: String
    /// Byte offset in the file.
    let offset: Int
    /// Whether it is the first of its line.
    let startsLine: Bool
    /// Whether it stands right behind the token before.
    let touches: Bool

    func isMark(_ character: Character) -> Bool { kind == .mark && text.first == character }

    func isWord(_ word: String) -> Bool { kind == .word && text == word }

    /// A name: of a type, a property, a case.
    var isName: Bool { kind == .word || kind == .quoted }
}

/// Something that the reader of Swift source does not understand.
struct SourceTrouble: Error, Hashable {
    let file: Int
    let offset: Int
    let problem: String
}
