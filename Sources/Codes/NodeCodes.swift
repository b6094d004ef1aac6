extension Code {
    /// No section of this name.
    public static let unknownNode = Code(
        "CRL-N200", "unknown-node", "The configuration has no node of this name.",
        "Use a name of a [node.NAME] section, or add one.", exit: .config)
    /// The system gave no random bytes.
    public static let noRandomness = Code(
        "CRL-N201", "no-randomness", "The system gives no random bytes.",
        "Check that getrandom is allowed in this container.", exit: .internalError)

    /// Area N, beginning with 200: what a node may say beside its core.
    static let nodeCodes: [Code] = [unknownNode, noRandomness]
}
