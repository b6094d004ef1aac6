/// A command line once it is understood: the command and its values, checked and complete.
///
/// Asking for an option or argument that the command does not declare is a bug of the caller and traps.
public struct Invocation: Sendable, Hashable {
    /// Where a value came from.
    public enum Origin: Sendable, Hashable {
        /// The command line.
        case commandLine
        /// The variable of the option.
        case environment
        /// The default.
        case fallback
        /// Nowhere: there is none.
        case absent
    }

    struct Value: Sendable, Hashable {
        var texts: [String] = []
        var origin = Origin.absent
    }

    /// `channel create`.
    public let command: String
    let options: [String: Value]
    let positionals: [String: [String]]

    /// The value of an option; the last one when it was given several times.
    public func text(_ option: String) -> String? { value(option).texts.last }

    /// All values of a repeatable option.
    public func all(_ option: String) -> [String] { value(option).texts }

    /// The value of a whole number.
    public func integer(_ option: String) -> Int? { text(option).flatMap { Int($0) } }

    /// The value of a time, in milliseconds.
    public func milliseconds(_ option: String) -> Int64? { text(option).flatMap(DurationText.milliseconds) }

    /// Whether a flag is set.
    public func flag(_ option: String) -> Bool { text(option) == "true" }

    /// Where the value came from; `commandLine` and `environment` win over the configuration file.
    public func origin(_ option: String) -> Origin { value(option).origin }

    /// A positional argument by its name in the help; nil when it is optional and was left out.
    public func argument(_ name: String) -> String? { arguments(name).first }

    /// All values of a repeated argument.
    public func arguments(_ name: String) -> [String] {
        guard let texts = positionals[name] else { preconditionFailure("\(command) declares no argument \(name)") }
        return texts
    }

    private func value(_ option: String) -> Value {
        guard let value = options[option] else { preconditionFailure("\(command) declares no option --\(option)") }
        return value
    }
}
