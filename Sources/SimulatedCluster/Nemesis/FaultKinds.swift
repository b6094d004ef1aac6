/// The faults that a world may do. Every seed has some of them, so that rare mixtures come up.
public struct FaultKinds: OptionSet, Hashable, Sendable {
    /// One bit for each.
    public let rawValue: UInt32

    /// Makes a set.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Control messages are lost, doubled and late.
    public static let weather = FaultKinds(rawValue: 1 << 0)
    /// Data connections break.
    public static let resets = FaultKinds(rawValue: 1 << 1)
    /// Links are cut, in one or both directions.
    public static let cuts = FaultKinds(rawValue: 1 << 2)
    /// A peer is slow.
    public static let slowPeers = FaultKinds(rawValue: 1 << 3)
    /// Nodes crash and come back after a while.
    public static let crashes = FaultKinds(rawValue: 1 << 4)
    /// Nodes crash and come back at once.
    public static let restarts = FaultKinds(rawValue: 1 << 5)
    /// Whole nodes stand still.
    public static let pauses = FaultKinds(rawValue: 1 << 6)
    /// Only the core or only the sending loop stands still.
    public static let stalls = FaultKinds(rawValue: 1 << 7)
    /// Disks are slow.
    public static let slowDisks = FaultKinds(rawValue: 1 << 8)
    /// Disks fail for a while.
    public static let failingDisks = FaultKinds(rawValue: 1 << 9)
    /// Disks are lost for good, one at a time and only after the last was made up for.
    public static let lostDisks = FaultKinds(rawValue: 1 << 10)
    /// Clocks are off by up to 2 s and run at the wrong rate.
    public static let clocks = FaultKinds(rawValue: 1 << 11)
    /// One clock is off by more than is allowed.
    public static let wrongClock = FaultKinds(rawValue: 1 << 12)
    /// APNs is slow, loses answers and connections.
    public static let apple = FaultKinds(rawValue: 1 << 13)
    /// APNs refuses for now, or cannot be reached.
    public static let outages = FaultKinds(rawValue: 1 << 14)
    /// Devices go offline.
    public static let offline = FaultKinds(rawValue: 1 << 15)
    /// Faults hit where they hurt: coordinator, owners, right after acks and during take-overs.
    public static let aimed = FaultKinds(rawValue: 1 << 16)

    static let names: [(FaultKinds, String)] = [
        (.weather, "weather"), (.resets, "resets"), (.cuts, "cuts"), (.slowPeers, "slow-peers"), (.crashes, "crashes"),
        (.restarts, "restarts"), (.pauses, "pauses"), (.stalls, "stalls"), (.slowDisks, "slow-disks"),
        (.failingDisks, "failing-disks"), (.lostDisks, "lost-disks"), (.clocks, "clocks"),
        (.wrongClock, "wrong-clock"), (.apple, "apple"), (.outages, "outages"), (.offline, "offline"),
        (.aimed, "aimed"),
    ]

    /// All of them.
    public static let all = FaultKinds(names.map(\.0))

    /// What they are called on the command line; nil when a word is none of them.
    public init?(words: [String]) {
        var set: FaultKinds = []
        for word in words {
            guard let known = Self.names.first(where: { $0.1 == word }) else { return nil }
            set.insert(known.0)
        }
        self = set
    }

    /// The words, in their order.
    public var words: [String] { Self.names.filter { contains($0.0) }.map(\.1) }

    /// Each with even chance, aimed ones in most seeds.
    static func drawn(_ dice: inout Dice) -> FaultKinds {
        var set: FaultKinds = []
        for (kind, _) in names where dice.chance(perMille: kind == .aimed ? 800 : 500) { set.insert(kind) }
        if dice.chance(perMille: 900) { set.remove(.wrongClock) }
        return set
    }
}
