import Wire

/// Who lives, since when, and who comes and goes: what the coordinator remembers of membership's hints.
struct MemberWatch: Sendable {
    private static let flapsMax = 16

    private struct Row {
        var isAlive: Bool
        /// In milliseconds since boot; nil: as long as this coordinator has looked.
        var since: Int64?
        var flaps: [Int64] = []
    }

    private let settings: CoordinatorSettings
    private var rows: [NodeID: Row] = [:]
    private var brakeUntil = Int64.min

    init(settings: CoordinatorSettings) { self.settings = settings }

    /// Takes what is true now of every member that is present; others are forgotten.
    mutating func observe(_ alive: [(node: NodeID, isAlive: Bool)], now: Int64) {
        var seen: [NodeID: Row] = [:]
        for (node, isAlive) in alive {
            guard var row = rows[node] else {
                seen[node] = Row(isAlive: isAlive, since: isAlive ? nil : now)
                continue
            }
            if row.isAlive != isAlive {
                if isAlive { row.flaps = (row.flaps + [now]).suffix(Self.flapsMax) }
                row.isAlive = isAlive
                row.since = now
            }
            row.flaps.removeAll { now - $0 > settings.flapMilliseconds }
            seen[node] = row
        }
        rows = seen
        brakeIfManyDied(now: now)
    }

    private mutating func brakeIfManyDied(now: Int64) {
        let died = rows.values.filter { row in
            !row.isAlive && row.since.map { now - $0 <= settings.brakeWindowMilliseconds } ?? false
        }
        if died.count > 1, died.count * 3 > rows.count { brakeUntil = now + settings.brakeMilliseconds }
    }

    /// So many look dead at once that the fault is more likely here or in the network: no data moves.
    func isBraked(now: Int64) -> Bool { now < brakeUntil }

    /// Whether the member is dead for so long that its copies should be made elsewhere.
    func isGivenUp(_ node: NodeID, now: Int64) -> Bool {
        guard let row = rows[node], !row.isAlive, let since = row.since else { return false }
        return now - since >= doubled(settings.rebalanceAfterMilliseconds, row.flaps.count)
    }

    /// Whether the member lives for long enough to be given something: at once unless it has just come back.
    func isSettled(_ node: NodeID, now: Int64) -> Bool {
        guard let row = rows[node], row.isAlive else { return false }
        guard let since = row.since, !row.flaps.isEmpty else { return true }
        return now - since >= doubled(settings.promoteAfterMilliseconds, row.flaps.count - 1)
    }

    private func doubled(_ milliseconds: Int64, _ times: Int) -> Int64 {
        min(milliseconds << Int64(min(times, flapsShiftMax)), max(milliseconds, settings.flapMilliseconds))
    }

    private var flapsShiftMax: Int { 16 }
}
