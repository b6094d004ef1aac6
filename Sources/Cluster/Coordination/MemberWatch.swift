import Wire

/// Who lives, since when, and who comes and goes: what the coordinator remembers of membership's hints and of leases.
struct MemberWatch: Sendable {
    /// What is true of a member now.
    struct Sighting: Sendable {
        let node: NodeID
        let isAlive: Bool
        /// It holds a lease, or will with its next request.
        let mayAct: Bool
        /// Its last lease is over for certain.
        let hasLapsed: Bool
    }

    private static let flapsMax = 16
    /// Lapses of a lease that are forgiven: one long stall is none that comes again and again.
    private static let lapsesFree = 1

    private struct Row {
        var isAlive: Bool
        /// In milliseconds since boot; nil: as long as this coordinator has looked.
        var since: Int64?
        var flaps: [Int64] = []
        /// It has lost its lease without being dead, and has none yet.
        var isWithoutLease = false
        /// When it had a lease again after such a loss.
        var lapses: [Int64] = []
    }

    private let settings: CoordinatorSettings
    private var rows: [NodeID: Row] = [:]
    private var brakeUntil = Int64.min
    /// Until then leases may be lacking because this node could give none.
    private var excusedUntil = Int64.min
    /// Members that have begun to flap since `takeFlapping`.
    private var flapping: [NodeID] = []

    init(settings: CoordinatorSettings) { self.settings = settings }

    /// Takes what is true now of every member that is present; others are forgotten. `me` is the coordinator's node:
    /// when its own lease has lapsed, it is to blame for those of the others too.
    mutating func observe(_ members: [Sighting], me: NodeID, now: Int64) {
        if members.contains(where: { $0.node == me && $0.hasLapsed }) {
            excusedUntil = now + settings.leaseMilliseconds
        }
        var seen: [NodeID: Row] = [:]
        for member in members {
            guard var row = rows[member.node] else {
                seen[member.node] = Row(isAlive: member.isAlive, since: member.isAlive ? nil : now)
                continue
            }
            if row.isAlive != member.isAlive {
                if member.isAlive { row.flaps = (row.flaps + [now]).suffix(Self.flapsMax) }
                row.isAlive = member.isAlive
                row.since = now
            }
            watchLease(member, &row, now: now)
            row.flaps.removeAll { now - $0 > settings.flapMilliseconds }
            row.lapses.removeAll { now - $0 > settings.flapMilliseconds }
            seen[member.node] = row
        }
        rows = seen
        brakeIfManyDied(now: now)
    }

    /// A lease that ends with the death of its member is no lapse: the return counts already.
    private mutating func watchLease(_ member: Sighting, _ row: inout Row, now: Int64) {
        if !member.isAlive {
            row.isWithoutLease = false
        } else if member.hasLapsed {
            row.isWithoutLease = row.isWithoutLease || now >= excusedUntil
        } else if member.mayAct, row.isWithoutLease {
            row.isWithoutLease = false
            row.lapses = (row.lapses + [now]).suffix(Self.flapsMax)
            if row.lapses.count > Self.lapsesFree { flapping.append(member.node) }
        }
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
        if settings.mutant == .givenUpAtOnce { return true }
        return now - since >= doubled(settings.rebalanceAfterMilliseconds, row.flaps.count)
    }

    /// Whether the member lives for long enough to be given something: at once unless it has just come back, or has
    /// lost its lease again and again.
    func isSettled(_ node: NodeID, now: Int64) -> Bool {
        guard let row = rows[node], row.isAlive else { return false }
        return now >= settles(row)
    }

    /// When a member that lives and flaps may own again, in milliseconds since boot; nil when it may.
    func settles(_ node: NodeID, now: Int64) -> Int64? {
        guard let row = rows[node], row.isAlive else { return nil }
        let time = settles(row)
        return time > now ? time : nil
    }

    private func settles(_ row: Row) -> Int64 {
        var time = Int64.min
        if let since = row.since, !row.flaps.isEmpty {
            time = since + doubled(settings.promoteAfterMilliseconds, row.flaps.count - 1)
        }
        if row.lapses.count > Self.lapsesFree, let last = row.lapses.last {
            let times = row.lapses.count - Self.lapsesFree - 1
            time = max(time, last + doubled(settings.promoteAfterMilliseconds, times))
        }
        return time
    }

    /// Members whose lease has lapsed again since this was asked last.
    mutating func takeFlapping() -> [NodeID] {
        defer { flapping = [] }
        return flapping
    }

    private func doubled(_ milliseconds: Int64, _ times: Int) -> Int64 {
        min(milliseconds << Int64(min(times, flapsShiftMax)), max(milliseconds, settings.flapMilliseconds))
    }

    private var flapsShiftMax: Int { 16 }
}
