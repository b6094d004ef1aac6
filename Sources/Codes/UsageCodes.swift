extension Code {
    /// Area U: what the command line may say.
    static let usageCodes: [Code] = []
}
