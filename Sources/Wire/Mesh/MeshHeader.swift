/// Stands at the beginning of every mesh frame.
public struct MeshHeader: Hashable, Sendable {
    /// Major version of the mesh protocol; frames of another one are refused.
    public static let major: UInt8 = 1
    /// Minor version that this program speaks; fields of higher ones are skipped.
    public static let minor: UInt8 = 0

    /// Minor version of the sender.
    public var minor: UInt8
    /// The cluster's identity; all zero from a node that belongs to none yet.
    public var cluster: NodeID
    /// Who sends. The receiver checks it against the certificate's name.
    public var sender: NodeID
    /// Which run of the sender.
    public var generation: UInt64
    /// Whom it is for; all zero when the sender knows only an address.
    public var target: NodeID
    /// Which run of the target the sender believes to talk to; 0: any.
    public var targetGeneration: UInt64

    /// Makes a header.
    public init(
        minor: UInt8 = MeshHeader.minor, cluster: NodeID, sender: NodeID, generation: UInt64,
        target: NodeID = .none, targetGeneration: UInt64 = 0
    ) {
        self.minor = minor
        self.cluster = cluster
        self.sender = sender
        self.generation = generation
        self.target = target
        self.targetGeneration = targetGeneration
    }
}

extension NodeID {
    /// All zero: nobody, no cluster.
    public static let none = NodeID(high: 0, low: 0)
}
