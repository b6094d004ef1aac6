extension Code {
    /// No section of this name.
    public static let unknownNode = Code(
        "CRL-N200", "unknown-node", "The configuration has no node of this name.",
        "Use a name of a [node.NAME] section, or add one.", exit: .config)
    /// The system gave no random bytes.
    public static let noRandomness = Code(
        "CRL-N201", "no-randomness", "The system gives no random bytes.",
        "Check that getrandom is allowed in this container.", exit: .internalError)

    /// Nobody has made the cluster yet.
    public static let clusterNotMade = Code(
        "CRL-N202", "cluster-not-made", "The cluster is not made yet: its voters have not all met.",
        "Start all nodes of [cluster] voters and see carillon status.", retryable: true, exit: .temporary)

    /// Area N, beginning with 200: what a node may say beside its core.
    static let nodeCodes: [Code] = [unknownNode, noRandomness, clusterNotMade]
}
