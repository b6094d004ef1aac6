/// A positional argument.
public struct CommandArgument: Sendable, Hashable {
    /// In capitals, as the help shows it: `APP`.
    public let name: String
    /// One sentence.
    public let help: String
    /// May be left out; only the last ones.
    public var isOptional = false
    /// Takes all that follow; only the last one.
    public var isRepeated = false
    /// Shells complete file names.
    public var isPath = false

    /// Makes an argument.
    public init(
        _ name: String, _ help: String, optional: Bool = false, repeated: Bool = false, path: Bool = false
    ) {
        (self.name, self.help) = (name, help)
        (isOptional, isRepeated, isPath) = (optional, repeated, path)
    }
}

/// A line that can be typed as it stands, and what it does.
public struct CommandExample: Sendable, Hashable {
    /// Begins with the program's name.
    public let line: String
    /// One sentence.
    public let does: String

    /// Makes an example.
    public init(_ line: String, _ does: String) {
        (self.line, self.does) = (line, does)
    }
}

/// A command: a verb, or a noun and a verb.
public struct Command: Sendable, Hashable {
    /// `publish`, or `channel create`.
    public let name: String
    /// One sentence: what it does.
    public let summary: String
    /// Further sentences for its own help.
    public let details: String
    /// In order.
    public let arguments: [CommandArgument]
    /// Its own options, in the order of the help.
    public let options: [CommandOption]
    /// Two or three, shown first.
    public let examples: [CommandExample]

    /// Makes a command.
    public init(
        _ name: String, _ summary: String, details: String = "", arguments: [CommandArgument] = [],
        options: [CommandOption] = [], examples: [CommandExample]
    ) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (self.arguments, self.options, self.examples) = (arguments, options, examples)
    }

    /// The words of the name: one or two.
    var words: [String] { name.split(separator: " ").map(String.init) }
}
