import Codes
import Wire

/// What callers may ask for. Answers wait for the disk like acknowledgements: nobody is shown what a crash could take
/// back.
extension OwnerCore {
    mutating func get(_ origin: UInt64, _ key: Key, _ instance: UInt32?, into effects: inout [CoreEffect]) {
        guard let slot = index[key.base], let record = slots[slot].record,
            instance == nil || instance == record.instance
        else { return refuseUnknown(origin, key, into: &effects) }
        let answer = StateAnswer(
            key: slots[slot].instanceKey, record: record,
            outcome: slots[slot].recent.outcome(ofSequence: record.version.sequence) ?? .unknown)
        answerAfterWrites(slots[slot].shard, origin, .state(answer), into: &effects)
    }

    mutating func status(_ origin: UInt64, _ eventID: [UInt8], _ key: Key?, into effects: inout [CoreEffect]) {
        guard let slot = find(eventID, key), let known = slots[slot].recent.find(id: eventID) else {
            return refuseUnknown(
                origin, key, "no such event among the last 16 of its key", into: &effects)
        }
        let active = slots[slot].active.index(of: known.sequence).map { slots[slot].active[$0] }
        let deferred = active?.isDeferred == true && known.outcome == .accepted
        let answer = StatusAnswer(
            eventID: eventID, key: slots[slot].key.with(instance: known.instance), sequence: known.sequence,
            outcome: deferred ? .deferred : known.outcome, tally: active?.tally ?? Tally())
        answerAfterWrites(slots[slot].shard, origin, .status(answer), into: &effects)
    }

    /// Nothing is known of the key, or it is another node's to know.
    mutating func refuseUnknown(
        _ origin: UInt64, _ key: Key?, _ detail: String = "", into effects: inout [CoreEffect]
    ) {
        if let key, !owns(shard(of: key)) { return refuseMoved(origin, into: &effects) }
        refuse(origin, .unknownKey, detail, into: &effects)
    }

    private func find(_ eventID: [UInt8], _ key: Key?) -> Int? {
        guard !eventID.isEmpty else { return nil }
        if let key { return index[key.base] }
        return slots.indices.first { slots[$0].recent.find(id: eventID) != nil }
    }
}
