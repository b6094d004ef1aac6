import Codes
public import Delivery
public import Wire

/// The part of a node that serves the shards it owns: gives events their versions and stamps, decides with the budgets
/// when they leave, follows what becomes of them, and keeps tokens. Pure: time comes in, effects go out. Runs on the
/// core thread.
///
/// One turn is any number of `handle`, `adopt` and `relinquish` calls and one `endTurn`, which closes the turn's batch
/// of rows. To take a shard over is to start it again here: `adopt` takes its rows, and the rules of a restart decide
/// what is sent again.
public struct OwnerCore: Sendable {
    /// What it was told once.
    public let settings: CoreSettings
    /// Counts since the start.
    public internal(set) var counters = CoreCounters()
    /// Whether names may be released to lanes: false while the node has no lease. What was released before is the
    /// lanes' to hold.
    public var maySend = true

    var shardSeed: (UInt64, UInt64)
    var shards = [ShardPlace](repeating: ShardPlace(), count: Int(Shard.registry) + 1)
    var admission: Admission
    /// The channels of the cluster.
    var channels: [Key: ChannelEntry] = [:]
    let appIndex: [String: UInt16]

    var slots: [KeySlot] = []
    var freeSlots: [Int] = []
    var index: [Key: Int] = [:]
    var lastTicketSerial: UInt64 = 0
    var importants: [Int: ImportantPlace] = [:]
    var catchUps: [Int: CatchUp] = [:]
    var tokens: [Destination: TokenEntry] = [:]
    var owners: [TokenOwner: Destination] = [:]
    /// Update tokens that APNs does not take here, and where to find those of a name.
    var quarantined: [Destination: QuarantinedToken] = [:]
    var quarantinedBySlot: [Int: [Destination]] = [:]
    var deviceTable = DeviceTable()
    /// On which devices a name was started.
    var starts: [Int: [DeviceStart]] = [:]
    /// Which starts of the last hour a device had from here: the hourly limit counts for each owner.
    var startTimes: [DeviceName: [StartTime]] = [:]
    var startWaits = StartTimeLine()
    var startHours = StartTimeLine()
    /// Versions on their way to tokens because they registered: reports on them do not count for the event.
    var newcomers: Set<Newcomer> = []
    var ended = TimeLine()
    var unsent = TimeLine()

    var gate = Gate()
    var openWrites: [ShardWrite] = []
    var dirtyRecords: [Int] = []
    var dirtySettlements: [Int] = []
    var openBatch: UInt64 = 1
    /// The rows of every shard are committed up to this batch.
    var storedBatch: UInt64 = 0
    /// The disk does not take writes: no events until it does.
    var storeIsFailing = false

    private var released: [UInt64] = []

    /// Makes a core that owns nothing. `shardSeed` is the cluster's.
    public init(
        settings: CoreSettings, admission: AdmissionSettings = AdmissionSettings(), shardSeed: (UInt64, UInt64) = (0, 0)
    ) {
        self.settings = settings
        self.shardSeed = shardSeed
        var admission = admission
        // Every name can ask for its release, adopted ones beyond `keysMax` among them, so asking never fails.
        admission.ticketsMax = Int(Int32.max)
        self.admission = Admission(settings: admission)
        appIndex = Dictionary(
            zip(settings.apps, (0..<settings.apps.count).map { UInt16(truncatingIfNeeded: $0) }),
            uniquingKeysWith: { first, _ in first })
    }

    /// Says which hash places the keys, when the cluster's charter was not known at the start. Ignored once anything
    /// is owned.
    public mutating func setShardSeed(_ seed: (UInt64, UInt64)) {
        guard !shards.contains(where: \.isOwned) else { return }
        shardSeed = seed
    }

    /// The shard of a key.
    public func shard(of key: Key) -> UInt16 { Wire.shard(of: key, seed: shardSeed) }

    /// Whether the shard is served here.
    public func owns(_ shard: UInt16) -> Bool { Int(shard) < shards.count && shards[Int(shard)].isOwned }

    // MARK: Turns

    /// Takes one input; effects are appended.
    public mutating func handle(_ input: CoreInput, now: Moment, into effects: inout [CoreEffect]) {
        switch input {
        case .publish(let publish): self.publish(publish, now: now, into: &effects)
        case .publishToBoth(let channel, let activity):
            publish(channel, and: activity, now: now, into: &effects)
        case .get(let origin, let key, let instance): get(origin, key, instance, into: &effects)
        case .status(let origin, let eventID, let key): status(origin, eventID, key, into: &effects)
        case .register(let registration): register(registration, now: now, into: &effects)
        case .unregister(let registration, let end): unregister(registration, end, now: now, into: &effects)
        case .registerDevice(let registration): registerDevice(registration, now: now, into: &effects)
        case .unregisterDevice(let registration): unregisterDevice(registration, into: &effects)
        case .deviceTokenRefused(let destination, let fault): refused(destination, fault, into: &effects)
        case .showActivity(let origin, let key): showActivity(origin, key, into: &effects)
        case .channelChanged(let key, let entry): setChannel(key.base, entry, now: now)
        case .stored(let batch): stored(upTo: batch, into: &effects)
        case .committed(let shard, let batch): committed(shard, upTo: batch, into: &effects)
        case .storeFailed(let batch): storeFailed(batch, into: &effects)
        case .storeRecovered: storeIsFailing = false
        case .report(let reports): for report in reports { settle(report, now: now, into: &effects) }
        case .tick: break
        }
    }

    /// Ends a turn: releases what is due and closes the batch. Call it after the inputs of every turn, and when
    /// `nextDeadline` passes.
    public mutating func endTurn(now: Moment, into effects: inout [CoreEffect]) {
        releaseDue(now: now, into: &effects)
        forgetEnded(now: now, into: &effects)
        watchStarts(now: now, into: &effects)
        closeBatch(into: &effects)
    }

    /// When a turn is due even if nothing happens, in milliseconds since boot.
    public var nextDeadline: Int64? { mayRelease ? admission.nextDeadline : nil }

    /// When too much waits for copies, Admit waits too: conflation goes on there.
    private var mayRelease: Bool {
        maySend && !storeIsFailing && gate.count < settings.handoversMax + settings.pendingRepliesMax
    }

    private mutating func releaseDue(now: Moment, into effects: inout [CoreEffect]) {
        guard mayRelease else { return }
        var due = released
        released = []
        admission.release(now: now, atMost: settings.releasesPerTurn, into: &due)
        for ticket in due { release(Int(ticket & 0xffff_ffff), now: now, into: &effects) }
        due.removeAll(keepingCapacity: true)
        released = due
    }

    // MARK: What an operator looks at

    /// Names in memory.
    public var keyCount: Int { index.count }
    /// Registered update tokens.
    public var tokenCount: Int { tokens.count }
    /// Push-to-start and ordinary tokens of devices.
    public var deviceTokenCount: Int { deviceTable.count }
    /// Update tokens in quarantine.
    public var quarantinedCount: Int { quarantined.count }
    /// Starts whose update token is awaited.
    public var startsPendingCount: Int { starts.values.reduce(0) { $0 + $1.count { $0.state.awaitsToken } } }
    /// Shards that are served here, the registry among them.
    public var shardCount: Int { shards.count { $0.isOwned } }
    /// Names that wait for Admit.
    public var waitingCount: Int { admission.waitingCount }
    /// What Admit counted.
    public var admissionCounters: AdmissionCounters { admission.counters }
    /// Effects that wait for disk and copies.
    public var heldBackCount: Int { gate.count }

    /// How long the devices of the worst key have lacked its newest state, in milliseconds; 0 when all have it.
    public mutating func ageOfNewestUnsent(now: Moment) -> Int64 {
        while let first = unsent.first {
            if slots[first.slot].isUsed, slots[first.slot].unsentSinceMilliseconds == first.milliseconds {
                return max(0, now.wallMilliseconds - first.milliseconds)
            }
            unsent.removeFirst()
        }
        return 0
    }

    // MARK: Channels

    private mutating func setChannel(_ key: Key, _ entry: ChannelEntry?, now: Moment) {
        channels[key] = entry
        guard let slot = index[key] else { return }
        let app = slots[slot].account.app
        let former = slots[slot].channel
        let channel = liveChannel(key, app: app)
        let account = account(of: key, app: app)
        slots[slot].channel = channel
        slots[slot].account = account
        guard former == nil, channel != nil, let record = slots[slot].record, slots[slot].isHanded,
            let active = slots[slot].active.index(of: record.version.sequence),
            slots[slot].active[active].tally.offered == 0
        else { return }
        // Its turn came before the channel was known.
        catchUps[slot, default: CatchUp()].wholeNewest = true
        ask(slot, now: now)
    }

    /// Where to send to; nil unless the channel is in use.
    func liveChannel(_ key: Key, app: UInt16) -> Destination? {
        guard let entry = channels[key], entry.state == .live, let id = entry.channelID else { return nil }
        return Destination(kind: .channel, app: app, address: id)
    }

    func account(of key: Key, app: UInt16) -> Account {
        guard key.kind == .channel else { return Account(app: app, scope: .activity) }
        let policy = channels[key]?.policy ?? .none
        return Account(app: app, scope: policy == .none ? .channelUnstored : .channelStored)
    }

    // MARK: Answers

    mutating func refuse(
        _ origin: UInt64, _ code: Code, _ detail: String = "", at place: String = "", into effects: inout [CoreEffect]
    ) {
        counters.refused += 1
        if code == .overloaded { counters.overloaded += 1 }
        let wait = code == .shardMoves ? settings.moveRetryMilliseconds : settings.overloadRetryMilliseconds
        let retry = code.retryable ? wait : nil
        effects.append(.reply(origin: origin, .refused(Fault(code, detail, at: place), retryMilliseconds: retry)))
    }

    mutating func refuseNotStored(_ origin: UInt64, into effects: inout [CoreEffect]) {
        refuse(origin, .notStored, "the disk does not take writes", into: &effects)
    }

    mutating func refuseMoved(_ origin: UInt64, into effects: inout [CoreEffect]) {
        refuse(origin, .shardMoves, into: &effects)
    }

    /// Answers once everything written of the shard so far is committed.
    mutating func answerAfterWrites(
        _ shard: UInt16, _ origin: UInt64, _ reply: Reply, into effects: inout [CoreEffect]
    ) {
        afterWrites(shard, .reply(origin: origin, reply), into: &effects)
    }
}

extension Key {
    /// The name's key with instance 1 and partition 0: what slots are found by.
    var base: Key {
        if bytes[(bytes.count - 6)...].elementsEqual([0, 0, 0, 1, 0, 0]) { return self }
        return Key(bytes: Array(nameBytes) + [0, 0, 0, 1, 0, 0]) ?? self
    }
}
