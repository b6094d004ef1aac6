import Wire

/// The time that a suspect has to contradict: long while one member doubts, shorter when several do (Lifeguard,
/// arXiv 1707.00788: `max(Min, Max - (Max - Min) * log(C + 1) / log(K + 1))`).
///
/// Min is a little longer where members can confirm than in a cluster that is too small for it: a member that stands
/// still for 4 s now and then is declared dead a fortieth as often, for 0.9 s of detection (Docs/Benchmarks.md).
struct Suspicion: Hashable, Sendable {
    /// Where members can confirm, the shortest is so many hundredths of `factor × log10 members × probe`.
    private static let confirmedPercent: Int64 = 129

    private var start: Int64
    private let shortest: Int64
    private let longest: Int64
    private let wanted: Int
    private var accusers: [NodeID]

    /// Milliseconds since boot when the suspect is declared dead.
    private(set) var deadline: Int64 = 0

    init(settings: MembershipSettings, members: Int, accuser: NodeID, now: Int64) {
        start = now
        let scale = max(1, Logarithm.decimal(Double(max(1, members))))
        let least = Int64(Double(settings.suspicionFactor) * scale * Double(settings.probeMilliseconds))
        // With too few others to confirm, waiting for them would only delay.
        wanted = members - 2 < settings.confirmations ? 0 : settings.confirmations
        shortest = wanted == 0 ? least : least * Self.confirmedPercent / 100
        longest = wanted == 0 ? least : max(shortest, least * Int64(settings.suspicionMaxFactor))
        accusers = [accuser]
        deadline = start + length
    }

    /// Another member doubts too; false when it is known already or enough do.
    mutating func confirm(by accuser: NodeID) -> Bool {
        guard accusers.count <= wanted, !accusers.contains(accuser) else { return false }
        accusers.append(accuser)
        deadline = start + length
        return true
    }

    /// The node itself stood still for so long: the suspect gets the time back.
    mutating func prolong(by milliseconds: Int64) {
        start += milliseconds
        deadline += milliseconds
    }

    private var length: Int64 {
        guard wanted > 0 else { return shortest }
        let part = Logarithm.natural(Double(accusers.count)) / Logarithm.natural(Double(wanted) + 1)
        return max(shortest, longest - Int64(Double(longest - shortest) * part))
    }
}
