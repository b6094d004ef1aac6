import Codes
public import Delivery
import Wire

/// The core of a node: gives events their versions and stamps, decides with the budgets when they leave, follows what
/// becomes of them, and keeps channels and tokens. Pure: time comes in, effects go out. Runs on the core thread.
///
/// One turn is any number of `handle` calls and one `endTurn`, which closes the turn's batch: all its rows become
/// durable together (group commit). After a start, `restore` takes every stored row and `finishRestore` ends it.
public struct OwnerCore: Sendable {
    /// What it was told once.
    public let settings: CoreSettings
    /// Counts since the start.
    public internal(set) var counters = CoreCounters()
    /// What cluster and node are; nil until `bootstrap` or `finishRestore`.
    public internal(set) var cluster: ClusterRecord?

    var admission: Admission
    var catalogue: ChannelCatalogue
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
    /// When a device had its starts of the last hour, in milliseconds since 1970.
    var startTimes: [DeviceName: [Int64]] = [:]
    var startWaits = StartTimeLine()
    var startHours = StartTimeLine()
    /// Versions on their way to tokens because they registered: reports on them do not count for the event.
    var newcomers: Set<Newcomer> = []
    var ended = TimeLine()
    var unsent = TimeLine()

    var gate = Gate()
    var openWrites: [StoreWrite] = []
    var dirtyRecords: [Int] = []
    var dirtySettlements: [Int] = []
    var batchesUnderWay: [(batch: UInt64, writes: [StoreWrite])] = []
    var openBatch: UInt64 = 1
    var durableBatch: UInt64 = 0
    var failed = FailedBatches()
    var openBatchIsRetry = false

    var staged: StagedRows?
    private var released: [UInt64] = []
    private var catalogueEffects: [ChannelCatalogue.Effect] = []

    /// Makes an empty core. `restore` is allowed until `finishRestore`, which must be called before anything else.
    public init(settings: CoreSettings, admission: AdmissionSettings = AdmissionSettings()) {
        self.settings = settings
        var admission = admission
        // Every key can ask for its release, so asking never fails.
        admission.ticketsMax = max(admission.ticketsMax, settings.keysMax)
        self.admission = Admission(settings: admission)
        catalogue = ChannelCatalogue(settings: settings)
        appIndex = Dictionary(
            zip(settings.apps, (0..<settings.apps.count).map { UInt16(truncatingIfNeeded: $0) }),
            uniquingKeysWith: { first, _ in first })
        staged = StagedRows()
    }

    // MARK: Turns

    /// Takes one input; effects are appended.
    public mutating func handle(_ input: CoreInput, now: Moment, into effects: inout [CoreEffect]) {
        switch input {
        case .publish(let publish): self.publish(publish, now: now, into: &effects)
        case .get(let origin, let key, let instance): get(origin, key, instance, into: &effects)
        case .status(let origin, let eventID, let key): status(origin, eventID, key, into: &effects)
        case .register(let registration): register(registration, now: now, into: &effects)
        case .unregister(let registration, let end): unregister(registration, end, now: now, into: &effects)
        case .registerDevice(let registration): registerDevice(registration, now: now, into: &effects)
        case .unregisterDevice(let registration): unregisterDevice(registration, into: &effects)
        case .showActivity(let origin, let key): showActivity(origin, key, into: &effects)
        case .publishToBoth(let channel, let activity):
            publish(channel, and: activity, now: now, into: &effects)
        case .createChannel(let origin, let app, let key, let policy):
            createChannel(origin, app, key, policy, now: now, into: &effects)
        case .deleteChannel(let origin, _, let key):
            manage(now: now, into: &effects) { catalogue, out in
                catalogue.delete(origin: origin, key: key.base, into: &out)
            }
        case .listChannels(let origin, let app):
            answerAfterWrites(origin, .channels(catalogue.list(app: app)), into: &effects)
        case .channelAnswered(let intent, let answer):
            manage(now: now, into: &effects) { catalogue, out in
                catalogue.answered(intent: intent, answer, now: now.bootMilliseconds, into: &out)
            }
        case .stored(let batch): stored(upTo: batch, into: &effects)
        case .storeFailed(let batch): storeFailed(batch, now: now, into: &effects)
        case .report(let reports): for report in reports { settle(report, now: now, into: &effects) }
        case .tick: break
        }
    }

    /// Ends a turn: releases what is due and closes the batch. Call it after the inputs of every turn, and when
    /// `nextDeadline` passes.
    public mutating func endTurn(now: Moment, into effects: inout [CoreEffect]) {
        retryFailedBatches(now: now)
        releaseDue(now: now, into: &effects)
        manage(now: now, into: &effects) { _, _ in }
        forgetEnded(now: now, into: &effects)
        watchStarts(now: now, into: &effects)
        closeBatch(into: &effects)
    }

    /// When a turn is due even if nothing happens, in milliseconds since boot.
    public var nextDeadline: Int64? {
        [admission.nextDeadline, catalogue.nextDeadline, failed.retryAt].compactMap { $0 }.min()
    }

    private mutating func releaseDue(now: Moment, into effects: inout [CoreEffect]) {
        // When too much waits for the disk, Admit waits too: conflation goes on there.
        guard gate.count < settings.handoversMax + settings.pendingRepliesMax, failed.isEmpty else { return }
        var due = released
        released = []
        admission.release(now: now, into: &due)
        for slot in due { release(Int(slot), now: now, into: &effects) }
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
    /// Names that wait for Admit.
    public var waitingCount: Int { admission.waitingCount }
    /// What Admit counted.
    public var admissionCounters: AdmissionCounters { admission.counters }
    /// Effects that wait for the disk.
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

    private mutating func createChannel(
        _ origin: UInt64, _ app: UInt16, _ key: Key, _ policy: StoragePolicy, now: Moment,
        into effects: inout [CoreEffect]
    ) {
        guard key.kind == .channel, Int(app) < settings.apps.count else {
            return refuse(origin, .badField, "not the name of a channel", into: &effects)
        }
        guard failed.isEmpty else { return refuseNotStored(origin, into: &effects) }
        manage(now: now, into: &effects) { catalogue, out in
            catalogue.create(origin: origin, app: app, key: key.base, policy: policy, into: &out)
        }
    }

    /// Lets the catalogue do something, starts what is due, and carries out its effects.
    mutating func manage(
        now: Moment, into effects: inout [CoreEffect],
        _ body: (inout ChannelCatalogue, inout [ChannelCatalogue.Effect]) -> Void
    ) {
        body(&catalogue, &catalogueEffects)
        catalogue.advance(now: now.bootMilliseconds, into: &catalogueEffects)
        guard !catalogueEffects.isEmpty else { return }
        let wanted = catalogueEffects
        catalogueEffects = []
        for effect in wanted {
            switch effect {
            case .write(let key, let value):
                openWrites.append(StoreWrite(kind: .channel, key: Array(key.nameBytes), value: value))
            case .manage(let intent, let app, let operation):
                afterWrites(.manage(intent: intent, app: app, operation), into: &effects)
            case .answer(let origin, let reply): answerAfterWrites(origin, reply, into: &effects)
            case .changed(let key): setChannel(key)
            case .notice(let notice): effects.append(.notice(notice))
            }
        }
    }

    private mutating func setChannel(_ key: Key) {
        guard let slot = index[key] else { return }
        let app = slots[slot].account.app
        let channel = catalogue.liveID(key).map { Destination(kind: .channel, app: app, address: $0) }
        let account = account(of: key, app: app)
        slots[slot].channel = channel
        slots[slot].account = account
    }

    func account(of key: Key, app: UInt16) -> Account {
        guard key.kind == .channel else { return Account(app: app, scope: .activity) }
        let policy = catalogue.entries[key]?.policy ?? .none
        return Account(app: app, scope: policy == .none ? .channelUnstored : .channelStored)
    }

    // MARK: Answers

    mutating func refuse(
        _ origin: UInt64, _ code: Code, _ detail: String = "", at place: String = "", into effects: inout [CoreEffect]
    ) {
        counters.refused += 1
        if code == .overloaded { counters.overloaded += 1 }
        let retry = code.retryable ? settings.overloadRetryMilliseconds : nil
        effects.append(.reply(origin: origin, .refused(Fault(code, detail, at: place), retryMilliseconds: retry)))
    }

    mutating func refuseNotStored(_ origin: UInt64, into effects: inout [CoreEffect]) {
        refuse(origin, .notStored, "the disk does not take writes", into: &effects)
    }

    /// Answers once everything written so far is durable.
    mutating func answerAfterWrites(_ origin: UInt64, _ reply: Reply, into effects: inout [CoreEffect]) {
        afterWrites(.reply(origin: origin, reply), into: &effects)
    }
}

extension Key {
    /// The name's key with instance 1 and partition 0: what slots are found by.
    var base: Key {
        if bytes[(bytes.count - 6)...].elementsEqual([0, 0, 0, 1, 0, 0]) { return self }
        return Key(bytes: Array(nameBytes) + [0, 0, 0, 1, 0, 0]) ?? self
    }
}
