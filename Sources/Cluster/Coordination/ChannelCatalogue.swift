import Codes
import Wire

/// The channels of all apps and what is being done about them.
///
/// Creating is idempotent for the caller although Apple's API is not: the intent is stored before the POST, the
/// answer before the caller hears it. After a lost answer or a restart all channels of the app are listed, known ones
/// subtracted, and one with the right policy is adopted before another is made. Operations of one app follow one
/// another.
struct ChannelCatalogue: Sendable {
    /// What the catalogue wants done. Everything but `write` waits until all writes so far are durable.
    enum Effect: Hashable, Sendable {
        case write(Key, [UInt8]?)
        case manage(intent: UInt64, app: UInt16, ChannelOperation)
        case answer(origin: UInt64, Reply)
        /// The channel's ID was given or taken away.
        case changed(Key)
        case notice(Notice)
    }

    /// What an app's line is waiting for.
    private enum Step: Hashable {
        case creating
        case listing
        case reading(candidates: [[UInt8]])
        case deleting
    }

    /// The operations of one app, one after another.
    private struct Line: Hashable {
        var queue: [Key] = []
        var step: Step?
        var intent: UInt64 = 0
        var failures = 0
        /// In milliseconds since boot.
        var notBefore = Int64.min
    }

    private let appCount: Int
    private let channelsMax: Int
    private let waitersMax: Int
    private let retryMilliseconds: ClosedRange<Int64>
    private(set) var entries: [Key: ChannelEntry] = [:]
    private var lines: [UInt16: Line] = [:]
    private var counts: [UInt16: Int] = [:]
    private var lastIntent: UInt64 = 0

    init(settings: CoreSettings) {
        appCount = settings.apps.count
        channelsMax = settings.channelsPerAppMax
        waitersMax = settings.channelWaitersMax
        retryMilliseconds = settings.channelRetryMilliseconds
    }

    /// The channels of an app, sorted by name.
    func list(app: UInt16) -> [ChannelSummary] {
        entries.filter { $0.value.app == app }.map { $0.value.summary(of: $0.key) }.sorted { $0.name < $1.name }
    }

    /// When a postponed operation is due, in milliseconds since boot.
    var nextDeadline: Int64? {
        lines.values.filter { $0.step == nil && !$0.queue.isEmpty }.map(\.notBefore).min()
    }

    // MARK: Leadership

    /// Takes a stored channel; what was under way is taken up by the next `advance`.
    mutating func restore(_ key: Key, _ entry: ChannelEntry) {
        entries[key] = entry
        counts[entry.app, default: 0] += 1
        if entry.state == .intended || entry.state == .deleting { lines[entry.app, default: Line()].queue.append(key) }
    }

    /// Puts what was found pending into an order that does not depend on the reading order. Returns how many there
    /// are.
    mutating func finishRestore() -> Int {
        for app in lines.keys { lines[app]?.queue.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) } }
        return lines.values.reduce(0) { $0 + $1.queue.count }
    }

    /// Leadership ends: everyone who waits is told to ask again, and nothing is known any more. The next leader takes
    /// up from the rows what was under way.
    mutating func reset(into effects: inout [Effect]) {
        for key in entries.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            for waiter in entries[key]?.waiters ?? [] {
                refuse(waiter.origin, .channelFailed, "the coordinator changes", retry: true, into: &effects)
            }
        }
        entries = [:]
        lines = [:]
        counts = [:]
    }

    // MARK: Requests

    /// Takes one input and starts what is due. `now` is in milliseconds since boot.
    mutating func handle(_ input: ChannelInput, now: Int64, into effects: inout [Effect]) {
        switch input {
        case .create(let origin, let app, let key, let policy):
            guard key.kind == .channel, Int(app) < appCount else {
                return refuse(origin, .badField, "not the name of a channel", into: &effects)
            }
            create(origin: origin, app: app, key: key.base, policy: policy, into: &effects)
        case .delete(let origin, _, let key): delete(origin: origin, key: key.base, into: &effects)
        case .list(let origin, let app): effects.append(.answer(origin: origin, .channels(list(app: app))))
        case .answered(let intent, let answer): answered(intent: intent, answer, now: now, into: &effects)
        case .lost(let key): lost(key.base, into: &effects)
        }
        advance(now: now, into: &effects)
    }

    /// A caller wants a channel.
    mutating func create(origin: UInt64, app: UInt16, key: Key, policy: StoragePolicy, into effects: inout [Effect]) {
        guard var entry = entries[key], entry.state != .failed else {
            return begin(origin: origin, app: app, key: key, policy: policy, into: &effects)
        }
        guard entry.policy == policy else {
            return refuse(origin, .badField, "exists with another storage policy", at: "policy", into: &effects)
        }
        switch entry.state {
        case .live:
            effects.append(.answer(origin: origin, .channel(entry.summary(of: key), isNew: false)))
        case .deleting:
            refuse(origin, .channelFailed, "the channel is being deleted", retry: true, into: &effects)
        case .intended, .failed:
            guard entry.waiters.count < waitersMax else {
                return refuse(origin, .overloaded, "too many wait for this channel", retry: true, into: &effects)
            }
            entry.waiters.append(ChannelEntry.Waiter(origin: origin))
            entries[key] = entry
        }
    }

    private mutating func begin(
        origin: UInt64, app: UInt16, key: Key, policy: StoragePolicy, into effects: inout [Effect]
    ) {
        let isNew = entries[key] == nil
        guard !isNew || counts[app, default: 0] < channelsMax else {
            return refuse(origin, .channelFailed, "the app has \(channelsMax) channels already", into: &effects)
        }
        var entry = ChannelEntry(app: app, policy: policy, state: .intended)
        entry.waiters = [ChannelEntry.Waiter(origin: origin)]
        entries[key] = entry
        if isNew { counts[app, default: 0] += 1 }
        lines[app, default: Line()].queue.append(key)
        effects.append(.write(key, entry.row))
    }

    /// A caller wants a channel no more.
    mutating func delete(origin: UInt64, key: Key, into effects: inout [Effect]) {
        guard var entry = entries[key] else {
            return effects.append(.answer(origin: origin, .channelDeleted(wasKnown: false)))
        }
        switch entry.state {
        case .intended:
            refuse(origin, .channelFailed, "the channel is being created", retry: true, into: &effects)
        case .failed:
            forget(key, into: &effects)
            effects.append(.answer(origin: origin, .channelDeleted(wasKnown: true)))
        case .live, .deleting:
            guard entry.waiters.count < waitersMax else {
                return refuse(origin, .overloaded, "too many wait for this channel", retry: true, into: &effects)
            }
            entry.waiters.append(ChannelEntry.Waiter(origin: origin))
            let wasLive = entry.state == .live
            entry.state = .deleting
            entries[key] = entry
            guard wasLive else { return }
            lines[entry.app, default: Line()].queue.append(key)
            effects.append(.write(key, entry.row))
            effects.append(.changed(key))
        }
    }

    /// APNs says that a channel in use does not exist.
    mutating func lost(_ key: Key, into effects: inout [Effect]) {
        guard var entry = entries[key], entry.state == .live else { return }
        entry.state = .failed
        entry.channelID = nil
        entries[key] = entry
        effects.append(.write(key, entry.row))
        effects.append(.changed(key))
        effects.append(.notice(.channelLost(app: entry.app)))
    }

    // MARK: Operations

    /// Starts the next operation of every app that has none under way. `now` is in milliseconds since boot.
    mutating func advance(now: Int64, into effects: inout [Effect]) {
        for app in lines.keys.sorted() { advance(app: app, now: now, into: &effects) }
    }

    private mutating func advance(app: UInt16, now: Int64, into effects: inout [Effect]) {
        guard var line = lines[app], line.step == nil, now >= line.notBefore, let key = line.queue.first else { return }
        guard let entry = entries[key], entry.state == .intended || entry.state == .deleting else {
            line.queue.removeFirst()
            lines[app] = line
            return advance(app: app, now: now, into: &effects)
        }
        let id = entry.channelID ?? []
        let deletes = entry.state == .deleting
        let step: Step = deletes ? .deleting : entry.mayExist ? .listing : .creating
        ask(
            step, deletes ? .delete(channelID: id) : entry.mayExist ? .list : .create(entry.policy), app, into: &effects
        )
    }

    private mutating func ask(
        _ step: Step, _ operation: ChannelOperation, _ app: UInt16, into effects: inout [Effect]
    ) {
        lastIntent += 1
        lines[app]?.step = step
        lines[app]?.intent = lastIntent
        effects.append(.manage(intent: lastIntent, app: app, operation))
    }

    /// APNs' answer; ignored unless it belongs to the operation under way.
    mutating func answered(intent: UInt64, _ answer: ChannelAnswer, now: Int64, into effects: inout [Effect]) {
        guard let app = lines.first(where: { $0.value.intent == intent && $0.value.step != nil })?.key,
            let step = lines[app]?.step, let key = lines[app]?.queue.first, let entry = entries[key]
        else { return }
        lines[app]?.step = nil
        switch step {
        case .creating: created(key, entry, answer, now, into: &effects)
        case .listing: listed(key, entry, answer, now, into: &effects)
        case .reading(let candidates): read(key, entry, candidates, answer, now, into: &effects)
        case .deleting: deleted(key, entry, answer, now, into: &effects)
        }
        advance(app: app, now: now, into: &effects)
    }

    private mutating func created(
        _ key: Key, _ entry: ChannelEntry, _ answer: ChannelAnswer, _ now: Int64, into effects: inout [Effect]
    ) {
        switch answer {
        case .created(let id) where (1...ChannelEntry.channelIDBytesMax).contains(id.count):
            goLive(key, entry, id, .channelCreated(app: entry.app), into: &effects)
        case .refused(let reason):
            finish(app: entry.app)
            refuseAll(entry, reason, retry: false, into: &effects)
            forget(key, into: &effects)
        case .unavailable(let reason):
            postpone(key, entry, reason, now, into: &effects)
        default:
            entries[key]?.mayExist = true
        }
    }

    private mutating func listed(
        _ key: Key, _ entry: ChannelEntry, _ answer: ChannelAnswer, _ now: Int64, into effects: inout [Effect]
    ) {
        guard case .listed(let ids) = answer else { return postpone(key, entry, reason(answer), now, into: &effects) }
        let known = Set(entries.values.filter { $0.app == entry.app }.compactMap(\.channelID))
        let usable = ids.filter { (1...ChannelEntry.channelIDBytesMax).contains($0.count) && !known.contains($0) }
        readNext(key, entry, usable.sorted { $0.lexicographicallyPrecedes($1) }, into: &effects)
    }

    private mutating func read(
        _ key: Key, _ entry: ChannelEntry, _ candidates: [[UInt8]], _ answer: ChannelAnswer, _ now: Int64,
        into effects: inout [Effect]
    ) {
        switch answer {
        case .policy(entry.policy):
            goLive(key, entry, candidates[0], .channelAdopted(app: entry.app), into: &effects)
            if candidates.count > 1 {
                effects.append(.notice(.channelsUnknown(app: entry.app, count: candidates.count - 1)))
            }
        case .policy, .refused:
            readNext(key, entry, Array(candidates.dropFirst()), into: &effects)
        default:
            postpone(key, entry, reason(answer), now, into: &effects)
        }
    }

    private mutating func readNext(
        _ key: Key, _ entry: ChannelEntry, _ candidates: [[UInt8]], into effects: inout [Effect]
    ) {
        guard let first = candidates.first else {
            // Nothing to adopt: the POST was not carried out.
            entries[key]?.mayExist = false
            return
        }
        ask(.reading(candidates: candidates), .read(channelID: first), entry.app, into: &effects)
    }

    private mutating func deleted(
        _ key: Key, _ entry: ChannelEntry, _ answer: ChannelAnswer, _ now: Int64, into effects: inout [Effect]
    ) {
        switch answer {
        case .deleted, .refused(reason: "ChannelNotRegistered"):
            finish(app: entry.app)
            forget(key, into: &effects)
            for waiter in entry.waiters {
                effects.append(.answer(origin: waiter.origin, .channelDeleted(wasKnown: true)))
            }
        case .refused(let reason):
            finish(app: entry.app)
            refuseAll(entry, reason, retry: false, into: &effects)
            restoreLive(key, into: &effects)
        default:
            postpone(key, entry, reason(answer), now, into: &effects)
        }
    }

    private mutating func restoreLive(_ key: Key, into effects: inout [Effect]) {
        entries[key]?.state = .live
        entries[key]?.waiters = []
        if let entry = entries[key] { effects.append(.write(key, entry.row)) }
        effects.append(.changed(key))
    }

    private mutating func goLive(
        _ key: Key, _ entry: ChannelEntry, _ id: [UInt8], _ notice: Notice, into effects: inout [Effect]
    ) {
        var entry = entry
        let waiters = entry.waiters
        entry.waiters = []
        entry.channelID = id
        entry.state = .live
        entry.mayExist = false
        entries[key] = entry
        finish(app: entry.app)
        effects.append(.write(key, entry.row))
        effects.append(.changed(key))
        effects.append(.notice(notice))
        for waiter in waiters {
            effects.append(.answer(origin: waiter.origin, .channel(entry.summary(of: key), isNew: true)))
        }
    }

    /// Callers hear that it did not work yet; the intent stays and is tried again.
    private mutating func postpone(
        _ key: Key, _ entry: ChannelEntry, _ reason: String, _ now: Int64, into effects: inout [Effect]
    ) {
        refuseAll(entry, reason, retry: true, into: &effects)
        entries[key]?.waiters = []
        guard var line = lines[entry.app] else { return }
        let wait = retryMilliseconds.lowerBound << Int64(min(line.failures, 20))
        line.failures += 1
        line.notBefore = now + min(wait, retryMilliseconds.upperBound)
        line.queue.append(line.queue.removeFirst())
        lines[entry.app] = line
    }

    private mutating func finish(app: UInt16) {
        lines[app]?.queue.removeFirst()
        lines[app]?.failures = 0
    }

    private mutating func forget(_ key: Key, into effects: inout [Effect]) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        counts[entry.app, default: 1] -= 1
        effects.append(.write(key, nil))
        effects.append(.changed(key))
    }

    private func refuseAll(_ entry: ChannelEntry, _ reason: String, retry: Bool, into effects: inout [Effect]) {
        effects.append(.notice(.channelTrouble(app: entry.app, reason: reason)))
        for waiter in entry.waiters { refuse(waiter.origin, .channelFailed, reason, retry: retry, into: &effects) }
    }

    private func refuse(
        _ origin: UInt64, _ code: Code, _ detail: String, at place: String = "", retry: Bool = false,
        into effects: inout [Effect]
    ) {
        let milliseconds = retry ? retryMilliseconds.lowerBound : nil
        effects.append(
            .answer(origin: origin, .refused(Fault(code, detail, at: place), retryMilliseconds: milliseconds)))
    }

    private func reason(_ answer: ChannelAnswer) -> String {
        switch answer {
        case .refused(let reason), .unavailable(let reason): reason
        case .lost: "the answer was lost"
        case .created, .policy, .deleted, .listed: "an answer to something else"
        }
    }
}
