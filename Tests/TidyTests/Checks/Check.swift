import Testing

/// One rule: which files it concerns, what it finds in one, and a snippet in which it must find something.
struct Check: Sendable, CustomTestStringConvertible {
    let name: String
    let applies: @Sendable (SourceFile) -> Bool
    /// Pure: a function of path and text.
    let find: @Sendable (SourceFile) -> [Violation]
    /// Each must be flagged: the proof that the check can fail.
    let bad: [SourceFile]
    /// None may be flagged.
    let good: [SourceFile]

    init(
        _ name: String, applies: @escaping @Sendable (SourceFile) -> Bool,
        find: @escaping @Sendable (SourceFile) -> [Violation], bad: [SourceFile], good: [SourceFile]
    ) {
        (self.name, self.applies, self.find, self.bad, self.good) = (name, applies, find, bad, good)
    }

    var testDescription: String { name }

    /// What the check finds in the file, nothing where it does not apply.
    func violations(in file: SourceFile) -> [Violation] {
        applies(file) ? find(file) : []
    }

    static let all: [Check] = [
        .fileLength, .lineLength, .functionLength, .bannedCalls, .foundation, .printing, .sleeping, .leftovers,
        .pureCores, .importRules, .documentation, .links, .machinePlaces, .planningPapers, .names, .lastLine,
    ]
}
