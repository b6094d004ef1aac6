extension Code {
    /// Area S: what the storage may say.
    static let storageCodes: [Code] = []
}
