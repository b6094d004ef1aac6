extension Code {
    /// Area M: what the APNs simulator may say.
    static let simulatorCodes: [Code] = []
}
