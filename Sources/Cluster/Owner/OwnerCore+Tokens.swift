import Codes
import Delivery
import LiveActivity
import Wire

/// Who follows which activity.
extension OwnerCore {
    mutating func register(_ input: RegisterInput, now: Moment, into effects: inout [CoreEffect]) {
        let key = input.key.base
        let destination = input.destination
        guard key.kind == .activity, destination.kind == .token, Int(destination.app) < settings.apps.count,
            (1...TokenRow.addressBytesMax).contains(destination.address.count),
            input.name.isShort
        else { return refuse(input.origin, .badField, "not a token of an activity", into: &effects) }
        guard !storeIsFailing else { return refuseNotStored(input.origin, into: &effects) }
        guard owns(shard(of: key)) else { return refuseMoved(input.origin, into: &effects) }
        guard let instance = instance(for: input, index[key]) else {
            return refuse(input.origin, .ended, "instance", into: &effects)
        }
        if let known = tokens[destination], known.slot == index[key], known.instance == instance {
            let reply = registered(false, known.slot, instance)
            return answerAfterWrites(slots[known.slot].shard, input.origin, reply, into: &effects)
        }
        leaveQuarantine(destination)
        guard hasRoom(index[key], instance), let slot = index[key] ?? makeSlot(key, app: destination.app) else {
            return refuse(input.origin, .overloaded, "as many tokens as may be", into: &effects)
        }
        removeToken(destination, into: &effects)
        replaceToken(of: TokenOwner(slot: slot, instance: instance, user: input.user, device: input.device), &effects)
        if slots[slot].record == nil, instance > slots[slot].instance { slots[slot].instance = instance }
        let row = TokenRow(
            activity: Array(key.nameBytes), instance: instance, registeredAtMilliseconds: now.wallMilliseconds,
            user: input.user, device: input.device)
        addToken(destination, slot, row)
        joinStart(slot, instance, input.name, now: now)
        write(slot, .token, tokenKey(destination), row.bytes)
        sendState(to: destination, slot, now: now)
        answerAfterWrites(slots[slot].shard, input.origin, registered(true, slot, instance), into: &effects)
    }

    private func registered(_ isNew: Bool, _ slot: Int, _ instance: UInt32) -> Reply {
        .registered(isNew: isNew, instance: instance, tokens: tokenCount(slot, instance))
    }

    /// How many tokens follow an instance.
    private func tokenCount(_ slot: Int, _ instance: UInt32) -> Int {
        slots[slot].groups.first { $0.instance == instance }?.destinations.count ?? 0
    }

    /// The instance that a token belongs to; nil when it is over.
    private func instance(for input: RegisterInput, _ slot: Int?) -> UInt32? {
        guard let slot else { return input.instance ?? 1 }
        guard let asked = input.instance else { return slots[slot].instance }
        guard let record = slots[slot].record else { return asked }
        let next = record.state == .ended && asked == record.instance + 1
        return asked == record.instance || next ? asked : nil
    }

    private func hasRoom(_ slot: Int?, _ instance: UInt32) -> Bool {
        guard tokens.count + quarantined.count + deviceTable.count < settings.tokensMax else { return false }
        guard let slot, let group = slots[slot].groups.first(where: { $0.instance == instance }) else {
            return (slot.flatMap { slots[$0].groups.count } ?? 0) < 8
        }
        return group.destinations.count < settings.tokensPerActivityMax
    }

    mutating func addToken(_ destination: Destination, _ slot: Int, _ row: TokenRow) {
        let instance = row.instance
        let group: Int
        if let found = slots[slot].groups.firstIndex(where: { $0.instance == instance }) {
            group = found
        } else {
            group = slots[slot].groups.count
            slots[slot].groups.append(AudienceGroup(instance: instance))
        }
        tokens[destination] = TokenEntry(
            slot: slot, instance: instance, position: slots[slot].groups[group].destinations.count,
            registeredAtMilliseconds: row.registeredAtMilliseconds, user: row.user, device: row.device,
            isBehind: false)
        slots[slot].groups[group].destinations.append(destination)
        guard !row.device.isEmpty else { return }
        owners[TokenOwner(slot: slot, instance: instance, user: row.user, device: row.device)] = destination
    }

    /// A new token of a device makes the one before invalid (Docs/APNs.md 4.5), also one in quarantine.
    private mutating func replaceToken(of owner: TokenOwner, _ effects: inout [CoreEffect]) {
        guard !owner.device.isEmpty else { return }
        if let old = owners[owner] {
            counters.tokensReplaced += 1
            removeToken(old, into: &effects)
        }
        for old in quarantinedTokens(of: owner) { removeQuarantined(old) }
    }

    /// The current state, or the end, goes to a token the moment it registers; quietly, because others have heard it
    /// already.
    private mutating func sendState(to destination: Destination, _ slot: Int, now: Moment) {
        guard let record = slots[slot].record, destination.kind == .token, record.event != .start,
            record.instance == tokens[destination]!.instance,
            !record.isExpired(atMilliseconds: now.wallMilliseconds)
        else { return }
        tokens[destination]!.isBehind = true
        write(slot, .behind, tokenKey(destination), [1])
        // What has not left yet will go to this token like to all others.
        guard slots[slot].isHanded else { return }
        catchUps[slot, default: CatchUp()].newest.append(
            CatchUp.Target(destination: destination, isQuiet: true, isCounted: false))
        // A lane gives one report for a version that it holds from before and is offered again now: a token that comes
        // back gets a version of its own, so that both can be told apart.
        let departed = slots[slot].departed
        if departed.count == KeySlot.departedMax || departed.contains(destination) {
            catchUps[slot]!.staleNewest = record.version.sequence
        }
        ask(slot, now: now)
    }

    mutating func unregister(
        _ input: RegisterInput, _ end: ActivityEnd?, now: Moment, into effects: inout [CoreEffect]
    ) {
        guard !storeIsFailing else { return refuseNotStored(input.origin, into: &effects) }
        let shard = shard(of: input.key)
        guard owns(shard) else { return refuseMoved(input.origin, into: &effects) }
        let known = tokens[input.destination]
        let isQuarantined = quarantined[input.destination] != nil
        if let end { noteEnd(end, input, known, now: now) }
        removeToken(input.destination, into: &effects)
        removeQuarantined(input.destination)
        let reply = Reply.unregistered(
            wasKnown: known != nil || isQuarantined, instance: known?.instance ?? 0,
            tokens: known.map { tokenCount($0.slot, $0.instance) } ?? 0)
        // The token may have followed another activity than the one that is named.
        let other = known.map { slots[$0.slot].shard } ?? shard
        afterWrites(shard, and: other, .reply(origin: input.origin, reply), into: &effects)
    }

    /// Forgets a token and its rows; nothing when it is not known.
    mutating func removeToken(_ destination: Destination, into effects: inout [CoreEffect]) {
        guard let entry = tokens.removeValue(forKey: destination) else { return }
        if !entry.device.isEmpty {
            let owner = TokenOwner(
                slot: entry.slot, instance: entry.instance, user: entry.user, device: entry.device)
            if owners[owner] == destination { owners[owner] = nil }
        }
        write(entry.slot, .token, tokenKey(destination), nil)
        if entry.isBehind { write(entry.slot, .behind, tokenKey(destination), nil) }
        dropTargets(destination, entry.slot, into: &effects)
        if entry.isBehind { clearServedEnd(entry.slot) }
        if slots[entry.slot].active.isEmpty {
            slots[entry.slot].departed = []
        } else if slots[entry.slot].departed.count < KeySlot.departedMax {
            slots[entry.slot].departed.append(destination)
        }
        guard let group = slots[entry.slot].groups.firstIndex(where: { $0.instance == entry.instance }) else { return }
        let last = slots[entry.slot].groups[group].destinations.removeLast()
        if last != destination {
            slots[entry.slot].groups[group].destinations[entry.position] = last
            tokens[last]?.position = entry.position
        } else if slots[entry.slot].groups[group].destinations.isEmpty {
            slots[entry.slot].groups.remove(at: group)
        }
    }

    /// A token that was to catch up does so no more; where its outcome was awaited it counts as dead.
    private mutating func dropTargets(
        _ destination: Destination, _ slot: Int, into effects: inout [CoreEffect]
    ) {
        guard var catchUp = catchUps[slot] else { return }
        let counted = catchUp.newest.count { $0.destination == destination && $0.isCounted }
        let countedImportant = catchUp.important.count { $0.destination == destination && $0.isCounted }
        catchUp.newest.removeAll { $0.destination == destination }
        catchUp.important.removeAll { $0.destination == destination }
        catchUps[slot] = catchUp.isEmpty ? nil : catchUp
        countGone(counted, slot, slots[slot].record?.version.sequence, into: &effects)
        countGone(countedImportant, slot, importants[slot]?.record.version.sequence, into: &effects)
    }

    private mutating func countGone(
        _ count: Int, _ slot: Int, _ sequence: UInt64?, into effects: inout [CoreEffect]
    ) {
        guard count > 0, let sequence, let active = slots[slot].active.index(of: sequence) else { return }
        slots[slot].active[active].tally.gone += UInt32(count)
        concludeIfAnswered(slot, active, into: &effects)
    }

    func tokenKey(_ destination: Destination) -> [UInt8] {
        let app = Int(destination.app) < settings.apps.count ? settings.apps[Int(destination.app)] : ""
        return TokenRow.key(destination, app: app)
    }
}

extension RegisterInput {
    /// The device that the token is on.
    var name: DeviceName { DeviceName(app: destination.app, user: user, device: device) }
}
