/// How a command prints data: `-o`.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// Columns for people.
    case table
    /// One stable JSON value.
    case json
    /// All columns.
    case wide

    /// The option `-o, --output` that every command with data has.
    public static let option = CommandOption.word(
        "output", allCases.map(\.rawValue), "How data is printed."
    ).short("o").variable("CARILLON_OUTPUT").fallback("table")
}
