extension Code {
    /// No such command.
    public static let noSuchCommand = Code(
        "CRL-U100", "no-such-command", "There is no such command.", "See carillon --help.", exit: .usage)
    /// No such option.
    public static let noSuchOption = Code(
        "CRL-U101", "no-such-option", "The command has no such option.", "See the command's --help.", exit: .usage)
    /// An option without its value.
    public static let optionValueMissing = Code(
        "CRL-U102", "option-value-missing", "The option needs a value.", "Write --option VALUE or --option=VALUE.",
        exit: .usage)
    /// A value of the wrong form, on the command line or in the variable behind an option.
    public static let badOptionValue = Code(
        "CRL-U103", "bad-option-value", "The option does not take this value.",
        "Use one of the values that are named.", exit: .usage)
    /// A positional argument is missing.
    public static let argumentMissing = Code(
        "CRL-U104", "argument-missing", "An argument is missing.", "See the command's --help.", exit: .usage)
    /// More positional arguments than the command takes.
    public static let tooManyArguments = Code(
        "CRL-U105", "too-many-arguments", "The command takes fewer arguments.", "See the command's --help.",
        exit: .usage)
    /// A command that ends where a verb should follow.
    public static let incompleteCommand = Code(
        "CRL-U106", "incomplete-command", "The command is not complete.", "Add one of the verbs that are named.",
        exit: .usage)
    /// An input file cannot be opened or read.
    public static let inputUnreadable = Code(
        "CRL-U110", "input-unreadable", "The input cannot be read.", "Check the path and its permissions.",
        exit: .noInput)
    /// An input is larger than the command takes.
    public static let inputTooLarge = Code(
        "CRL-U111", "input-too-large", "The input is larger than this command takes.",
        "Give a smaller file.")
    /// An output cannot be written.
    public static let outputUnwritable = Code(
        "CRL-U112", "output-unwritable", "The output cannot be written.",
        "Check the path, its permissions and the space left.", exit: .cannotCreate)

    /// A code that is not in the tables.
    public static let unknownCode = Code(
        "CRL-U120", "unknown-code", "There is no such code.", "List all codes: carillon errors.", exit: .usage)
    /// Something that cannot happen happened.
    public static let internalTrouble = Code(
        "CRL-U121", "internal-trouble", "Carillon did something it should not.",
        "Please report it with the command line and what was printed.", exit: .internalError)
    /// A promise of the demo did not hold.
    public static let promiseBroken = Code(
        "CRL-U122", "promise-broken", "A promise did not hold.", "Look at the lines above.", exit: .failed)

    /// Area U: what the command line may say.
    static let usageCodes: [Code] = [
        noSuchCommand, noSuchOption, optionValueMissing, badOptionValue, argumentMissing, tooManyArguments,
        incompleteCommand, inputUnreadable, inputTooLarge, outputUnwritable, unknownCode, internalTrouble,
        promiseBroken,
    ]
}
