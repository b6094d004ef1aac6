extension Code {
    /// Docs/Reference/Errors.md, made from the tables so that it cannot say anything else.
    public static var reference: String {
        var text = """
            # Codes

            Everything Carillon may have to say has a stable code. `carillon errors` prints this table,
            `carillon errors CRL-P104` one entry. The last column is the exit status of a command that ends for this
            reason (sysexits).

            """
        for area in areas where !area.codes.isEmpty {
            text += "\n## \(area.letter): \(area.title)\n\n"
            text += "| code | slug | means | do | retry | exit |\n|---|---|---|---|---|---|\n"
            for code in area.codes {
                text += "| `\(code.id)` | `\(code.slug)` | \(code.meaning) | \(code.action) "
                text += "| \(code.retryable ? "yes" : "no") | \(code.exit.rawValue) |\n"
            }
        }
        return text
    }
}
