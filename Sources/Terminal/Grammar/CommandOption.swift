/// An option of a command: `--name VALUE`, `--name=VALUE`, or a flag.
public struct CommandOption: Sendable, Hashable {
    /// What the option takes.
    public enum Kind: Sendable, Hashable {
        /// Nothing: it is there or not.
        case flag
        /// Any text.
        case text
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// One of a few words.
        case word([String])
        /// A file or directory; `-` is standard input or output where the help says so.
        case path
        /// A time with its unit: `250ms`, `5s`, `2m`, `1h`; read with `Invocation.milliseconds`.
        case duration
    }

    /// Without dashes.
    public let name: String
    /// What it takes.
    public let kind: Kind
    /// What the help calls its value, in capitals.
    public let placeholder: String
    /// One sentence.
    public let help: String
    /// A letter for `-x`.
    public var short: Character?
    /// The environment variable that stands in when the option is not given.
    public var variable: String?
    /// What holds when neither is given.
    public var fallback: String?
    /// Whether it may be given several times.
    public var isRepeatable = false
    /// Whether it must be given, here or by its variable.
    public var isRequired = false

    /// A flag.
    public static func flag(_ name: String, _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .flag, placeholder: "", help: help)
    }

    /// Any text.
    public static func text(_ name: String, _ placeholder: String, _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .text, placeholder: placeholder, help: help)
    }

    /// A whole number in a range.
    public static func integer(_ name: String, _ range: ClosedRange<Int>, _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .integer(range), placeholder: "NUMBER", help: help)
    }

    /// One of a few words.
    public static func word(_ name: String, _ words: [String], _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .word(words), placeholder: words.joined(separator: "|"), help: help)
    }

    /// A file or directory.
    public static func path(_ name: String, _ placeholder: String, _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .path, placeholder: placeholder, help: help)
    }

    /// A time with its unit.
    public static func duration(_ name: String, _ help: String) -> CommandOption {
        CommandOption(name: name, kind: .duration, placeholder: "TIME", help: help)
    }

    /// The same with a letter.
    public func short(_ letter: Character) -> CommandOption { changed { $0.short = letter } }
    /// The same with a variable that stands in.
    public func variable(_ name: String) -> CommandOption { changed { $0.variable = name } }
    /// The same with a default.
    public func fallback(_ value: String) -> CommandOption { changed { $0.fallback = value } }
    /// The same, as often as wanted.
    public func repeatable() -> CommandOption { changed { $0.isRepeatable = true } }
    /// The same, never left out.
    public func required() -> CommandOption { changed { $0.isRequired = true } }

    private func changed(_ change: (inout CommandOption) -> Void) -> CommandOption {
        var option = self
        change(&option)
        return option
    }
}
