extension Code {
    /// Area C: what the configuration may say.
    static let configurationCodes: [Code] = []
}
