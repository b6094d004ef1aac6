extension Code {
    /// Area K: what the keys and certificates may say.
    static let keyCodes: [Code] = []
}
