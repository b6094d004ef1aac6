extension Code {
    /// Area A: what the APNs client may say.
    static let apnsCodes: [Code] = []
}
