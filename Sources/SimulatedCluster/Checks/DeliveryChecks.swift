internal import Delivery
internal import LiveActivity

/// I16 and the end of I15 at the place where bytes leave: for every name stamps grow with versions, a version is one
/// event with one stamp for ever, stamps do not lead the clock by more than 30 s, and nothing newer follows an end.
struct DeliveryChecks: Sendable {
    private struct Version: Sendable {
        var sequence: UInt64
        var stamp: Int64
        var mark: EventMark
        var event: EventKind
    }

    static let leadSecondsMax: Int64 = 30

    private struct Name: Hashable, Sendable {
        var producer: Int
        var instance: Int
    }

    /// Versions of each instance of a name that were written, by sequence.
    private var versions: [Name: [Version]] = [:]
    /// Newest stamp that APNs was given, by destination.
    private var newest: [Destination: Int64] = [:]
    private(set) var leadMax: Int64 = 0

    /// What the cluster knew of a name may be lost: its versions count from the beginning.
    mutating func forget(producer: Int) {
        versions = versions.filter { $0.key.producer != producer }
    }

    mutating func written(_ mark: EventMark, _ item: PushItem, wallMilliseconds: Int64) -> Checks.Problem? {
        let lead = item.stampSeconds - wallMilliseconds / 1000
        leadMax = max(leadMax, lead)
        guard lead <= Self.leadSecondsMax else {
            return (.stampsGrow, "the stamp of \(mark) leads the clock by \(lead) s")
        }
        let name = Name(producer: mark.producer, instance: mark.instance)
        var known = versions.removeValue(forKey: name) ?? []
        defer { versions[name] = known }
        let at = known.firstIndex { $0.sequence >= item.sequence } ?? known.count
        let new = Version(sequence: item.sequence, stamp: item.stampSeconds, mark: mark, event: item.event)
        if at < known.count, known[at].sequence == item.sequence {
            let before = known[at]
            guard before.mark == mark, before.stamp == item.stampSeconds else {
                return (
                    .versionsAreUnique,
                    "version \(item.sequence) of name \(mark.producer) was sent as \(before.mark) stamp \(before.stamp)"
                        + " and as \(mark) stamp \(item.stampSeconds)"
                )
            }
            return nil
        }
        known.insert(new, at: at)
        return ordered(known, at)
    }

    private func ordered(_ known: [Version], _ at: Int) -> Checks.Problem? {
        let new = known[at]
        for (older, newer) in [(at - 1, at), (at, at + 1)] where older >= 0 && newer < known.count {
            guard known[older].stamp < known[newer].stamp else {
                return (
                    .stampsGrow,
                    "version \(known[newer].sequence) of name \(new.mark.producer) has stamp \(known[newer].stamp),"
                        + " version \(known[older].sequence) had \(known[older].stamp)"
                )
            }
            if known[older].event == .end, known[newer].event != .end {
                return (.deviceNeverGoesBack, "\(known[newer].mark) was sent as newer than the end of its instance")
            }
        }
        return nil
    }

    /// A request is at APNs; whether nothing newer was there before.
    mutating func arrived(_ item: PushItem, at place: Destination) -> Bool {
        guard let before = newest[place], before > item.stampSeconds else {
            newest[place] = item.stampSeconds
            return true
        }
        return false
    }
}
