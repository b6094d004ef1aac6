/// A node as it describes itself: everything but the ID may change with a start.
public struct Member: Hashable, Sendable {
    /// Longest name and zone in bytes.
    public static let nameBytesMax = 64
    /// Longest endpoint in bytes.
    public static let endpointBytesMax = 255

    /// Who it is.
    public var id: NodeID
    /// Which run of it.
    public var incarnation: Incarnation
    /// What the configuration calls it; its certificate carries the same name.
    public var name: String
    /// Failure domain; empty when there is only one.
    public var zone: String
    /// Share of the keys that it takes relative to others, in per cent; 100 is usual, 0 takes none.
    public var weight: UInt16
    /// Where its control plane listens, `tcp://HOST:PORT`.
    public var control: String
    /// Where its data plane listens.
    public var data: String
    /// Where producers reach it; for `goaway` and people.
    public var producers: String
    /// Highest minor version of the mesh protocol that it speaks.
    public var minor: UInt8
    /// It wants to hand over what it owns and leave for good, or until its next start.
    public var isDraining: Bool
    /// It reaches its peers but not APNs: others should own what it owns until it does.
    public var isCutOff: Bool

    /// Makes a member.
    public init(
        id: NodeID, incarnation: Incarnation, name: String, zone: String = "", weight: UInt16 = 100, control: String,
        data: String, producers: String = "", minor: UInt8 = 0, isDraining: Bool = false,
        isCutOff: Bool = false
    ) {
        self.id = id
        self.incarnation = incarnation
        self.name = name
        self.zone = zone
        self.weight = weight
        self.control = control
        self.data = data
        self.producers = producers
        self.minor = minor
        self.isDraining = isDraining
        self.isCutOff = isCutOff
    }

    /// Largest value of `marks`.
    public static let marksMax: UInt8 = 3

    /// `isDraining` (1) and `isCutOff` (2) in one byte, as frames and the coordinator's log have them.
    public var marks: UInt8 {
        get { (isDraining ? 1 : 0) | (isCutOff ? 2 : 0) }
        set {
            isDraining = newValue & 1 != 0
            isCutOff = newValue & 2 != 0
        }
    }
}

/// What membership thinks of a node. Raw values are on the wire: never renumber.
public enum MemberState: UInt8, Hashable, Sendable, CaseIterable {
    /// It answers.
    case alive = 1
    /// Somebody got no answer; it may refute.
    case suspect = 2
    /// It did not refute in time. Not final.
    case dead = 3
    /// It said that it goes.
    case left = 4

    /// The word of the command line.
    public var name: String {
        switch self {
        case .alive: "alive"
        case .suspect: "suspect"
        case .dead: "dead"
        case .left: "left"
        }
    }
}

/// One piece of gossip.
public enum MemberUpdate: Hashable, Sendable {
    /// The member is alive in this incarnation, and this is how it describes itself.
    case alive(Member)
    /// `by` says that the incarnation of the node is suspect, dead or has left; never `alive`.
    case verdict(MemberState, node: NodeID, incarnation: Incarnation, by: NodeID)

    /// Whom it is about.
    public var node: NodeID {
        switch self {
        case .alive(let member): member.id
        case .verdict(_, let node, _, _): node
        }
    }

    /// Which incarnation it is about.
    public var incarnation: Incarnation {
        switch self {
        case .alive(let member): member.incarnation
        case .verdict(_, _, let incarnation, _): incarnation
        }
    }
}
