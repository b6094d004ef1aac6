import Delivery
import LiveActivity
import Wire

/// The end of an instance that has been followed by the next one. It stays beside the newest record, also on disk,
/// until every token of its instance has been sent it: one that registered a moment before has no other state to
/// show, and after a take-over nothing else would tell it.
extension OwnerCore {
    /// How long an end that is settled keeps its place for tokens that registered late. A bound for what should not
    /// happen, so that no name waits for ever.
    static let lateTokensMilliseconds: Int64 = 60_000

    /// Whether the record beside the newest is the end of an instance before.
    func isForeignEnd(_ record: Record, _ slot: Int) -> Bool {
        record.event == .end && slots[slot].key.kind == .activity
            && record.version.sequence != slots[slot].record?.version.sequence
    }

    /// Whether reports on a record are still to come, or, of an end, tokens that have not been sent it.
    func isAwaited(_ record: Record, _ slot: Int) -> Bool {
        slots[slot].active.index(of: record.version.sequence) != nil
            || record.event == .end && hasTokensBehind(slot, record.instance)
    }

    /// Whether the place beside the newest is held by an end that may not yield it.
    func holdsEnd(_ slot: Int, now: Moment) -> Bool {
        guard let held = importants[slot]?.record, held.event == .end else { return false }
        return slots[slot].active.index(of: held.version.sequence) != nil
            || now.wallMilliseconds < held.acceptedAtMilliseconds + Self.lateTokensMilliseconds
    }

    /// Whether tokens of an instance have registered and not been sent the state.
    func hasTokensBehind(_ slot: Int, _ instance: UInt32) -> Bool {
        guard let group = slots[slot].groups.first(where: { $0.instance == instance }) else { return false }
        return group.destinations.contains { tokens[$0]?.isBehind == true }
    }

    /// Frees the place of an end that is settled and that no token waits for any more.
    mutating func clearServedEnd(_ slot: Int) {
        guard !importants.isEmpty, let held = importants[slot]?.record, isForeignEnd(held, slot),
            !isAwaited(held, slot)
        else { return }
        clearImportant(slot)
    }

    /// A token of its instance gets the end on the name's next turn, unless all get it anyway. `stale`: the version
    /// that its lane found too old.
    mutating func offerEndAgain(to destination: Destination, _ slot: Int, stale: UInt64?) {
        guard catchUps[slot]?.wholeImportant != true else { return }
        catchUps[slot, default: CatchUp()].important.append(
            CatchUp.Target(destination: destination, isQuiet: true, isCounted: false))
        if let stale { catchUps[slot]!.staleImportant = stale }
    }
}
