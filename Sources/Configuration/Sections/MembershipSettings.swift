/// `[membership]`: how nodes find out who is alive (SWIM with suspicion and Lifeguard).
public struct MembershipSettings: Sendable, Hashable {
    /// Milliseconds between two probes of a node.
    public var probeMilliseconds = 500
    /// Milliseconds that a probe waits before others are asked to probe too.
    public var ackTimeoutMilliseconds = 250
    /// How many others are asked.
    public var indirectProbes = 3
    /// The least time of a suspicion, in probe intervals for each power of ten of members.
    public var suspicionFactor = 6
    /// The longest time of a suspicion, as a multiple of the least.
    public var suspicionMaxFactor = 3
    /// Suspicions by others that shorten it to 1.3 times the least.
    public var confirmations = 3
    /// Milliseconds between two rounds of gossip.
    public var gossipMilliseconds = 200
    /// Members that a round reaches.
    public var gossipPeers = 3
    /// Milliseconds between two probes of somebody who is dead.
    public var deadProbeMilliseconds = 10_000
    /// Milliseconds between two exchanges of everything with one member.
    public var exchangeMilliseconds = 30_000
    /// By how much a node that is slow itself stretches its own time-outs at most.
    public var healthMax = 8

    /// With every default.
    public init() {}
}

extension MembershipSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer(
            "probe_ms", \.probeMilliseconds, 50...60_000,
            "Time between two probes. Shorter finds a dead node sooner and takes a slow one for dead more often."),
        .integer(
            "ack_timeout_ms", \.ackTimeoutMilliseconds, 10...30_000,
            "A probe without an answer for so long is tried through others. Less than probe_ms."),
        .integer("indirect_probes", \.indirectProbes, 1...16, "How many others are asked to try."),
        .integer(
            "suspicion_factor", \.suspicionFactor, 1...32,
            "Least time to refute a suspicion: this, times probe_ms, times the number of digits of the member count."),
        .integer(
            "suspicion_max_factor", \.suspicionMaxFactor, 1...16,
            "A suspicion that nobody confirms lasts so many times longer."),
        .integer(
            "confirmations", \.confirmations, 1...16,
            "Suspicions by others that shorten it to 1.3 times the least time."),
        .integer("gossip_ms", \.gossipMilliseconds, 20...60_000, "Time between two rounds of gossip."),
        .integer("gossip_peers", \.gossipPeers, 1...16, "Members that a round reaches."),
        .integer(
            "dead_probe_ms", \.deadProbeMilliseconds, 100...600_000,
            "Time between two probes of a dead member and of a node of the configuration; they never stop."),
        .integer(
            "exchange_ms", \.exchangeMilliseconds, 100...3_600_000,
            "Time between two exchanges of everything with one member."),
        .integer(
            "health_max", \.healthMax, 1...64,
            "A node that is slow itself stretches its time-outs up to so many times, instead of blaming others."),
    ]
}
