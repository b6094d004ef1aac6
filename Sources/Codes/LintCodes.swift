extension Code {
    /// Area L: what the payload linter may say.
    static let lintCodes: [Code] = []
}
