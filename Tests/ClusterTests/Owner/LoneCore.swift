import Codes
import Delivery
import Wire

@testable import Cluster

/// A node that is alone: `OwnerCore` owns every shard, its own disk is the only copy, and the catalogue of channels is
/// run here as well. One turn is any number of `handle` calls and one `endTurn`. After a start, `restore` takes every
/// stored row and `finishRestore` ends it.
struct LoneCore: Sendable {
    /// The owner of everything.
    private(set) var owner: OwnerCore
    private var catalogue: ChannelCatalogue
    private let apps: [String: UInt16]

    private var staged: [[(kind: UInt8, key: [UInt8], value: [UInt8])]]
    private var channelsFound: [(key: Key, entry: ChannelEntry)] = []
    private var rowsUnreadable = 0

    private var openWrites: [StoreWrite] = []
    private var ownerBatch: UInt64 = 0
    private var openBatch: UInt64 = 1
    private var durableBatch: UInt64 = 0
    private var underWay: [(batch: UInt64, ownerBatch: UInt64, writes: [StoreWrite])] = []
    private var isRetry = false
    /// In milliseconds since boot; nil when nothing failed.
    private var retryAt: Int64?
    /// What the catalogue wants done once its rows are durable.
    private var held: [(batch: UInt64, effect: NodeEffect)] = []
    private var ownerEffects: [CoreEffect] = []
    private var catalogueEffects: [ChannelCatalogue.Effect] = []

    /// Makes an empty core. `restore` is allowed until `finishRestore`, which must be called before anything else.
    init(
        settings: CoreSettings, admission: AdmissionSettings = AdmissionSettings(), shardSeed: (UInt64, UInt64) = (0, 0)
    ) {
        owner = OwnerCore(settings: settings, admission: admission, shardSeed: shardSeed)
        catalogue = ChannelCatalogue(settings: settings)
        apps = owner.appIndex
        staged = Array(repeating: [], count: Int(Shard.registry) + 1)
    }

    // MARK: Start

    /// Takes one stored row; any order. Returns a fault when the row cannot be used: it is left out, the others go on.
    mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault? {
        guard kind != StoredKind.channel.rawValue else { return restoreChannel(key, value) }
        guard key.count >= 2, let shard = Optional(UInt16(key[0]) << 8 | UInt16(key[1])), shard <= Shard.registry else {
            rowsUnreadable += 1
            return Fault(.rowUnreadable, "kind \(kind)")
        }
        staged[Int(shard)].append((kind, Array(key[2...]), value))
        return nil
    }

    private mutating func restoreChannel(_ name: [UInt8], _ value: [UInt8]) -> Fault? {
        guard let key = Key(bytes: name + [0, 0, 0, 1, 0, 0]), let app = apps[key.app],
            let entry = ChannelEntry(row: value, app: app)
        else {
            rowsUnreadable += 1
            return Fault(.rowUnreadable, "kind channel")
        }
        channelsFound.append((key, entry))
        return nil
    }

    /// Ends the start: every shard is adopted but those that are served elsewhere.
    mutating func finishRestore(
        except elsewhere: Set<UInt16> = [], now: Moment, into effects: inout [NodeEffect]
    ) -> RecoverySummary {
        for (key, entry) in channelsFound {
            catalogue.restore(key, entry)
            owner.handle(.channelChanged(key: key, entry), now: now, into: &ownerEffects)
        }
        channelsFound = []
        let pending = catalogue.finishRestore()
        let adoptions = staged.indices.map { shard in
            Adoption(shard: UInt16(truncatingIfNeeded: shard), epoch: 1, rows: staged[shard])
        }.filter { !elsewhere.contains($0.shard) }
        staged = []
        var summary = owner.adopt(adoptions, now: now, into: &ownerEffects)
        summary.channelsPending = pending
        summary.channels = catalogue.entries.values.count { $0.state == .live }
        summary.rowsUnreadable += rowsUnreadable
        carryOut(now: now, into: &effects)
        return summary
    }

    // MARK: Shards

    /// What the catalogue says of a channel.
    func channel(_ key: Key) -> ChannelEntry? { catalogue.entries[key] }

    /// Serves a shard again that was served elsewhere.
    mutating func adopt(_ adoption: Adoption, now: Moment, into effects: inout [NodeEffect]) {
        _ = owner.adopt([adoption], now: now, into: &ownerEffects)
        carryOut(now: now, into: &effects)
    }

    /// Serves a shard no more; what of it has not been written will not be.
    mutating func relinquish(_ shard: UInt16, now: Moment, into effects: inout [NodeEffect]) {
        owner.relinquish([shard], into: &ownerEffects)
        let prefix = Self.prefix(shard)
        let isOfShard: (StoreWrite) -> Bool = { $0.kind != .channel && $0.key.starts(with: prefix) }
        openWrites.removeAll(where: isOfShard)
        // Should they fail they must not be written again when the shard is back.
        for index in underWay.indices { underWay[index].writes.removeAll(where: isOfShard) }
        carryOut(now: now, into: &effects)
    }

    private static func prefix(_ shard: UInt16) -> [UInt8] {
        [UInt8(shard >> 8), UInt8(truncatingIfNeeded: shard)]
    }

    // MARK: Turns

    /// Takes one input of the owner; `stored` and `storeFailed` name batches of this core's `store` effects.
    mutating func handle(_ input: CoreInput, now: Moment, into effects: inout [NodeEffect]) {
        switch input {
        case .stored(let batch): stored(batch, now: now, into: &effects)
        case .storeFailed(let batch): storeFailed(batch, now: now, into: &effects)
        default:
            owner.handle(input, now: now, into: &ownerEffects)
            carryOut(now: now, into: &effects)
        }
    }

    /// Takes one input of the catalogue.
    mutating func handle(_ input: ChannelInput, now: Moment, into effects: inout [NodeEffect]) {
        if case .create(let origin, _, _, _) = input, retryAt != nil {
            let fault = Fault(.notStored, "the disk does not take writes")
            let wait = owner.settings.overloadRetryMilliseconds
            return effects.append(.reply(origin: origin, .refused(fault, retryMilliseconds: wait)))
        }
        catalogue.handle(input, now: now.bootMilliseconds, into: &catalogueEffects)
        carryOut(now: now, into: &effects)
    }

    /// Ends a turn: releases what is due and closes the batch.
    mutating func endTurn(now: Moment, into effects: inout [NodeEffect]) {
        if let retryAt, retryAt <= now.bootMilliseconds {
            self.retryAt = nil
            isRetry = true
            owner.handle(.storeRecovered, now: now, into: &ownerEffects)
        }
        owner.endTurn(now: now, into: &ownerEffects)
        catalogue.advance(now: now.bootMilliseconds, into: &catalogueEffects)
        carryOut(now: now, into: &effects)
        closeBatch(into: &effects)
    }

    /// When a turn is due even if nothing happens, in milliseconds since boot.
    var nextDeadline: Int64? {
        [owner.nextDeadline, catalogue.nextDeadline, retryAt].compactMap { $0 }.min()
    }

    /// Effects that wait for the disk.
    var heldBackCount: Int { owner.heldBackCount + held.count }

    /// How long the devices of the worst key have lacked its newest state, in milliseconds; 0 when all have it.
    mutating func ageOfNewestUnsent(now: Moment) -> Int64 { owner.ageOfNewestUnsent(now: now) }

    private mutating func carryOut(now: Moment, into effects: inout [NodeEffect]) {
        while !ownerEffects.isEmpty || !catalogueEffects.isEmpty {
            let wanted = ownerEffects
            ownerEffects.removeAll(keepingCapacity: true)
            for effect in wanted { carryOut(effect, now: now, into: &effects) }
            let managed = catalogueEffects
            catalogueEffects = []
            for effect in managed { carryOut(effect, now: now, into: &effects) }
        }
    }

    private mutating func carryOut(_ effect: CoreEffect, now: Moment, into effects: inout [NodeEffect]) {
        switch effect {
        case .write(let writes, let batch):
            ownerBatch = batch
            for write in writes {
                guard let kind = StoredKind(rawValue: write.kind) else { continue }
                let key = Self.prefix(write.shard) + write.key
                openWrites.append(StoreWrite(kind: kind, key: key, value: write.value))
            }
        case .reply(let origin, let reply): effects.append(.reply(origin: origin, reply))
        case .receipt(let receipt): effects.append(.receipt(receipt))
        case .offer(let item, let destinations): effects.append(.offer(item, destinations))
        case .withdraw(let tickets): effects.append(.withdraw(tickets: tickets))
        case .channelLost(let key):
            catalogue.handle(.lost(key), now: now.bootMilliseconds, into: &catalogueEffects)
        case .deviceTokenRefused: break
        case .notice(let notice): effects.append(.notice(notice))
        case .stage(let eventID, let stage): effects.append(.stage(eventID: eventID, stage))
        }
    }

    private mutating func carryOut(
        _ effect: ChannelCatalogue.Effect, now: Moment, into effects: inout [NodeEffect]
    ) {
        switch effect {
        case .write(let key, let value):
            openWrites.append(StoreWrite(kind: .channel, key: Array(key.nameBytes), value: value))
        case .manage(let intent, let app, let operation):
            afterWrites(.manage(intent: intent, app: app, operation), into: &effects)
        case .answer(let origin, let reply): afterWrites(.reply(origin: origin, reply), into: &effects)
        case .changed(let key):
            owner.handle(.channelChanged(key: key, catalogue.entries[key]), now: now, into: &ownerEffects)
        case .notice(let notice): effects.append(.notice(notice))
        }
    }

    // MARK: Batches

    private mutating func afterWrites(_ effect: NodeEffect, into effects: inout [NodeEffect]) {
        let batch = openWrites.isEmpty ? openBatch - 1 : openBatch
        guard batch > durableBatch || retryAt != nil else { return effects.append(effect) }
        held.append((batch, effect))
    }

    private mutating func closeBatch(into effects: inout [NodeEffect]) {
        // A batch that waits to be written again holds older values of the same rows: nothing may overtake it.
        guard !openWrites.isEmpty, retryAt == nil else { return }
        underWay.append((openBatch, ownerBatch, openWrites))
        for index in held.indices where held[index].batch == .max { held[index].batch = openBatch }
        effects.append(.store(batch: openBatch, writes: openWrites, isRetry: isRetry))
        openWrites = []
        isRetry = false
        openBatch += 1
    }

    private mutating func stored(_ batch: UInt64, now: Moment, into effects: inout [NodeEffect]) {
        // A batch that was given up after an earlier one failed is written again under a later number.
        guard let last = underWay.last(where: { $0.batch <= batch }) else { return }
        underWay.removeAll { $0.batch <= last.batch }
        durableBatch = max(durableBatch, last.batch)
        owner.handle(.stored(batch: last.ownerBatch), now: now, into: &ownerEffects)
        let isDue = held.prefix { $0.batch <= durableBatch }
        effects += isDue.map(\.effect)
        held.removeFirst(isDue.count)
        carryOut(now: now, into: &effects)
    }

    private mutating func storeFailed(_ batch: UInt64, now: Moment, into effects: inout [NodeEffect]) {
        guard let first = underWay.firstIndex(where: { $0.batch == batch }) else { return }
        let given = underWay[first...]
        let known = first == 0 ? 0 : underWay[first - 1].ownerBatch
        openWrites = given.flatMap(\.writes) + openWrites
        underWay.removeSubrange(first...)
        retryAt = now.bootMilliseconds + owner.settings.storeRetryMilliseconds
        // What waited for the batches given up waits for the one that writes their rows again.
        for index in held.indices where held[index].batch >= batch { held[index].batch = .max }
        owner.handle(.storeFailed(batch: known + 1), now: now, into: &ownerEffects)
        carryOut(now: now, into: &effects)
    }
}
