import Codes
public import Delivery
import Wire

/// Shards come and go.
extension OwnerCore {
    /// Serves these shards from now on: what a start does with the rows on disk, for just those shards. Any number of
    /// times, at any moment between turns' ends; a shard that is served already is let go first. Rows that cannot be
    /// used are left out, counted and come as notices.
    public mutating func adopt(
        _ adoptions: [Adoption], now: Moment, into effects: inout [CoreEffect]
    ) -> RecoverySummary {
        relinquish(adoptions.map(\.shard), into: &effects)
        var staged = StagedRows()
        var summary = RecoverySummary()
        for adoption in adoptions where open(adoption) {
            summary.shards += 1
            for row in adoption.rows {
                guard let fault = restore(adoption.shard, row.kind, row.key, row.value, &staged) else { continue }
                summary.rowsUnreadable += 1
                effects.append(.notice(.rowLeftOut(shard: adoption.shard, fault)))
            }
        }
        resume(staged, adoptions, &summary, now: now, into: &effects)
        return summary
    }

    private mutating func open(_ adoption: Adoption) -> Bool {
        guard Int(adoption.shard) < shards.count, !owns(adoption.shard) else { return false }
        let earlier = shards[Int(adoption.shard)].adoption
        shards[Int(adoption.shard)] = ShardPlace(
            isOwned: true, epoch: adoption.epoch, copies: adoption.copies, adoption: earlier + 1)
        // The owner's table is the registry; what was heard of it before is replaced.
        if adoption.shard == Shard.registry { deviceTable = DeviceTable() }
        return true
    }

    /// How many copies an acknowledged event of the shard has from now on.
    public mutating func setCopies(_ shard: UInt16, _ copies: Int) {
        guard owns(shard) else { return }
        shards[Int(shard)].copies = copies
    }

    /// Serves these shards no more: their names, tokens and starts are forgotten here, callers that wait for them are
    /// told to ask again, and nothing more of them leaves. The registry's tokens stay as they are, to be read.
    public mutating func relinquish(_ numbers: [UInt16], into effects: inout [CoreEffect]) {
        var tickets: [UInt64] = []
        var count = 0
        for number in numbers where owns(number) {
            count += 1
            shards[Int(number)].isOwned = false
            for effect in gate.takeAll(number) { drop(effect, into: &effects) }
            let names = shards[Int(number)].slots
            shards[Int(number)].slots = []
            for slot in names { letGo(Int(slot), &tickets) }
        }
        guard count > 0 else { return }
        openWrites = openWrites.filter { owns($0.shard) }
        dirtyRecords = dirtyRecords.filter { slots[$0].isUsed }
        dirtySettlements = dirtySettlements.filter { slots[$0].isUsed }
        if !newcomers.isEmpty { newcomers = newcomers.filter { slots[$0.slot].isUsed } }
        letGoOfTimes()
        if !tickets.isEmpty { effects.append(.withdraw(tickets: tickets)) }
    }

    private mutating func letGo(_ slot: Int, _ tickets: inout [UInt64]) {
        if slots[slot].record?.version != nil {
            tickets.append(slots[slot].ticket)
            if slots[slot].formerTicket != 0 { tickets.append(slots[slot].formerTicket) }
            if let place = importants[slot], place.ticket != slots[slot].ticket,
                place.ticket != slots[slot].formerTicket
            {
                tickets.append(place.ticket)
            }
        }
        for group in slots[slot].groups {
            for destination in group.destinations { letGo(of: destination) }
        }
        for destination in quarantinedBySlot[slot] ?? [] { quarantined[destination] = nil }
        quarantinedBySlot[slot] = nil
        starts[slot] = nil
        importants[slot] = nil
        catchUps[slot] = nil
        admission.withdraw(ticket: slots[slot].firstTicket)
        freeSlot(slot)
    }

    private mutating func letGo(of destination: Destination) {
        guard let entry = tokens.removeValue(forKey: destination), !entry.device.isEmpty else { return }
        let owner = TokenOwner(slot: entry.slot, instance: entry.instance, user: entry.user, device: entry.device)
        if owners[owner] == destination { owners[owner] = nil }
    }

    private mutating func letGoOfTimes() {
        guard startTimes.values.contains(where: { $0.contains { !owns($0.shard) } }) else { return }
        startTimes = startTimes.compactMapValues { times in
            let kept = times.filter { owns($0.shard) }
            return kept.isEmpty ? nil : kept
        }
    }

    // MARK: Handing over

    /// Releases nothing of the shard any more; what lanes have goes on. Ends with `relinquish`.
    public mutating func pause(_ shard: UInt16) {
        guard owns(shard) else { return }
        shards[Int(shard)].isPaused = true
    }

    /// How many names the shard has here.
    public func nameCount(of shard: UInt16) -> Int { owns(shard) ? shards[Int(shard)].slots.count : 0 }

    /// Whether nothing of the shard waits for copies or for an answer of APNs.
    public func isQuiet(_ shard: UInt16) -> Bool {
        guard owns(shard) else { return true }
        guard gate.count(of: shard) == 0 else { return false }
        return shards[Int(shard)].slots.allSatisfy { slot in
            slots[Int(slot)].active.allSatisfy { $0.tally.offered == 0 || $0.tally.outstanding == 0 }
        }
    }

    /// Changes bear this number from now on, or a higher one.
    mutating func open(batch: UInt64) { openBatch = max(openBatch, batch) }

    // MARK: The registry

    /// Takes rows of the registry that its owner changed; on every node that is not the owner. `isWhole`: they are the
    /// whole registry, what is not among them is gone. Rows that cannot be used come as notices.
    public mutating func observe(
        registry rows: [(kind: UInt8, key: [UInt8], value: [UInt8]?)], isWhole: Bool = false,
        into effects: inout [CoreEffect]
    ) {
        guard !owns(Shard.registry), settings.mutant != .registryNotHeard else { return }
        if isWhole { deviceTable = DeviceTable() }
        for row in rows {
            let isToken = row.kind == StoredKind.deviceToken.rawValue
            guard let fault = isToken ? observe(row.key, row.value) : Fault(.rowUnknown, "kind \(row.kind)") else {
                continue
            }
            effects.append(.notice(.rowLeftOut(shard: Shard.registry, fault)))
        }
    }

    /// A row names device, kind and type; the token is its value.
    mutating func observe(_ key: [UInt8], _ value: [UInt8]?) -> Fault? {
        guard let (name, kind, type) = DeviceRows.decodeTokenKey(key, apps: appIndex) else {
            return unreadable(.deviceToken, value ?? [])
        }
        var token: DeviceToken?
        if let value {
            guard let decoded = DeviceRows.decodeToken(key: key, value: value, apps: appIndex)?.token else {
                return unreadable(.deviceToken, value)
            }
            token = decoded
        }
        if let former = deviceTable.token(of: name, kind, type) { deviceTable.remove(former.destination) }
        guard let token else { return nil }
        // It may have been another device's, whose row goes with the same change.
        deviceTable.remove(token.destination)
        deviceTable.add(token, of: name)
        return nil
    }
}
