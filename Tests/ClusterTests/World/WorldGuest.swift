import Cluster
import Delivery
import Wire

/// A second owner: shards move to it and back, by hand-over or because one of the two died. The rows that are on disk
/// stand for what W copies have; what is on its way there may have got through or not.
extension World {
    mutating func planMoves(_ active: Int64) {
        for producer in producers where dice.chance(percent: 60) {
            let shard = guest.shard(of: producer.key)
            for _ in 0..<dice.between(1, 4) { plan(.leave(shard), after: dice.between(500, active)) }
        }
        if dice.chance(percent: 30) { plan(.guestDies, after: dice.between(2_000, active)) }
    }

    func epoch(_ write: StoreWrite) -> UInt64 {
        guard write.kind != .channel else { return 0 }
        return epochs[UInt16(write.key[0]) << 8 | UInt16(write.key[1])] ?? 1
    }

    /// Nil while the shard is on its way.
    func owner(of key: Key) -> Int? { owners[guest.shard(of: key), default: 0] }

    func isServed(_ key: Key) -> Bool { owner(of: key).map { $0 == 1 || isUp } ?? false }

    mutating func turnOwner(of key: Key, _ input: CoreInput) {
        switch owner(of: key) {
        case 0: turn(input)
        case 1: turnGuest(input)
        // Whoever is asked refuses.
        default: if dice.chance(percent: 50) { turn(input) } else { turnGuest(input) }
        }
    }

    // MARK: Moving

    /// The owner lets the shard go, or is dead; the other gets it a little later.
    mutating func leave(_ shard: UInt16) {
        guard !isHealed, let from = owners[shard, default: 0] else { return }
        moves += 1
        if from == 0, isUp {
            var out: [NodeEffect] = []
            core.relinquish(shard, now: now, into: &out)
            carryOut(out)
            endTurn()
        } else if from == 1 {
            var out: [CoreEffect] = []
            guest.relinquish([shard], into: &out)
            carryOutGuest(out)
            endGuestTurn()
        }
        move(shard, to: 1 - from)
    }

    private mutating func move(_ shard: UInt16, to node: Int) {
        settleUnderWay(shard)
        owners[shard] = .some(nil)
        epochs[shard, default: 1] += 1
        plan(.arrive(shard, node), after: dice.chance(percent: 50) ? dice.between(0, 50) : dice.between(0, 9_000))
    }

    /// Of what is on its way to the copies some is read by the next owner and the rest is gone.
    private mutating func settleUnderWay(_ shard: UInt16) {
        let prefix = [UInt8(shard >> 8), UInt8(truncatingIfNeeded: shard)]
        var arrives = dice.chance(percent: 50)
        for batch in underWay.keys.sorted() where arrives {
            arrives = dice.chance(percent: 70)
            for (write, epoch) in underWay[batch]!
            where write.kind != .channel && write.key.starts(with: prefix) && self.epoch(write) == epoch {
                disk[Row(kind: write.kind.rawValue, key: write.key)] = write.value
            }
        }
        for batch in guestUnderWay.keys.sorted() where arrives {
            arrives = dice.chance(percent: 70)
            keepGuestRows(batch, shard)
        }
    }

    mutating func arrive(_ shard: UInt16, _ node: Int) {
        guard node == 1 || isUp else { return plan(.arrive(shard, node), after: 300) }
        let prefix = [UInt8(shard >> 8), UInt8(truncatingIfNeeded: shard)]
        let keys = disk.keys.filter { $0.kind != StoredKind.channel.rawValue && $0.key.starts(with: prefix) }
            .sorted { ($0.kind, $0.key.count, $0.key.last ?? 0) < ($1.kind, $1.key.count, $1.key.last ?? 0) }
        let rows = keys.map { (kind: $0.kind, key: Array($0.key.dropFirst(2)), value: disk[$0]!) }
        let adoption = Adoption(shard: shard, epoch: epochs[shard] ?? 1, copies: 2, rows: rows, isReassertion: true)
        owners[shard] = node
        if node == 0 {
            var out: [NodeEffect] = []
            core.adopt(adoption, now: now, into: &out)
            checkNothingLost(core.owner, shard)
            carryOut(out)
            endTurn()
        } else {
            tellGuest()
            var out: [CoreEffect] = []
            let summary = guest.adopt([adoption], now: now, into: &out)
            checkNothingLost(guest, shard)
            if summary.rowsUnreadable > 0 { note("\(summary.rowsUnreadable) rows are unreadable") }
            carryOutGuest(out)
            endGuestTurn()
        }
    }

    /// Nothing of the guest is left; the node takes its shards over.
    mutating func guestDies() {
        guard !isHealed else { return }
        runs[1] += 1
        guest = OwnerCore(settings: Self.coreSettings(mutant))
        lanes[1] = LaneTable(settings: Self.laneSettings, seed: seed &+ 1_000 &+ UInt64(runs[1]))
        withdrawn[1] = []
        wakeGuestAt = .max
        wakeLanesAt[1] = .max
        for shard in owners.filter({ $0.value == 1 }).keys.sorted() { move(shard, to: 0) }
        guestUnderWay = [:]
        guestFreeAt = [:]
    }

    mutating func tellGuest() {
        var out: [CoreEffect] = []
        for producer in producers where producer.key.kind == .channel {
            guest.handle(
                .channelChanged(key: producer.key, core.channel(producer.key)), now: now, into: &out)
        }
        carryOutGuest(out)
        endGuestTurn()
    }

    // MARK: The guest's threads

    mutating func turnGuest(_ input: CoreInput) {
        var out: [CoreEffect] = []
        guest.handle(input, now: now, into: &out)
        carryOutGuest(out)
        endGuestTurn()
    }

    private mutating func endGuestTurn() {
        var out: [CoreEffect] = []
        guest.endTurn(now: now, into: &out)
        carryOutGuest(out)
        guard let next = guest.nextDeadline, next < wakeGuestAt else { return }
        wakeGuestAt = max(next, time + 1)
        plan(.wakeGuest, after: wakeGuestAt - time, of: 1)
    }

    mutating func wakeGuest() {
        wakeGuestAt = .max
        turnGuest(.tick)
    }

    private mutating func carryOutGuest(_ effects: [CoreEffect]) {
        for effect in effects {
            switch effect {
            case .write(let writes, let batch): writeGuest(batch, writes)
            case .reply(let origin, let answer): reply(origin, answer)
            case .offer(let item, let places): plan(.offered(1, item, places), after: dice.below(3), of: 1)
            case .withdraw(let tickets): withdrawn[1].formUnion(tickets)
            case .notice(.rowLeftOut(_, let fault)): note("\(fault)")
            case .channelLost: note("a channel is lost")
            case .receipt, .notice, .deviceTokenRefused, .stage: break
            }
        }
    }

    /// Each shard's part of a batch is on its copies at a time of its own.
    private mutating func writeGuest(_ batch: UInt64, _ writes: [ShardWrite]) {
        guestUnderWay[batch] = writes.map { ($0, epochs[$0.shard] ?? 1) }
        for shard in Set(writes.map(\.shard)).sorted() {
            if owners[shard, default: 0] != 1 { note("rows of a shard that is not the guest's") }
            var wait = dice.between(1, 20)
            if faulty, !isHealed, dice.chance(percent: 3) { wait += 900 }
            let at = max(guestFreeAt[shard] ?? 0, time) + wait
            guestFreeAt[shard] = at
            plan(.guestStored(batch, shard), after: at - time, of: 1)
        }
    }

    private mutating func keepGuestRows(_ batch: UInt64, _ shard: UInt16) {
        for (write, epoch) in guestUnderWay[batch] ?? []
        where write.shard == shard && epoch == epochs[shard] ?? 1 {
            let key = [UInt8(shard >> 8), UInt8(truncatingIfNeeded: shard)] + write.key
            disk[Row(kind: write.kind, key: key)] = write.value
        }
    }

    mutating func guestStored(_ batch: UInt64, _ shard: UInt16) {
        keepGuestRows(batch, shard)
        guestUnderWay[batch]?.removeAll { $0.write.shard == shard }
        if guestUnderWay[batch]?.isEmpty == true { guestUnderWay[batch] = nil }
        turnGuest(.committed(shard: shard, upTo: batch))
    }
}
