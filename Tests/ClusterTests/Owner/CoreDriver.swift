import Cluster
import Codes
import Delivery
import LiveActivity
import Wire

/// The core of a node alone with a disk in memory, for tests of single rules: every `send` is one turn; `commit` makes
/// what was written durable.
struct CoreDriver {
    static let start: Int64 = 1_800_000_000_000

    struct Row: Hashable {
        var kind: UInt8
        var key: [UInt8]
    }

    var core: LoneCore
    var settings: CoreSettings
    var now = Moment(wallMilliseconds: start, bootMilliseconds: 1_000)
    var disk: [Row: [UInt8]] = [:]
    var uncommitted: [(batch: UInt64, writes: [StoreWrite])] = []
    var summary = RecoverySummary()
    /// Everything that came out of the last call.
    var effects: [NodeEffect] = []
    private var lastOrigin: UInt64 = 0

    init(settings: CoreSettings = CoreSettings(apps: ["shop"])) {
        self.settings = settings
        core = LoneCore(settings: settings)
        open()
    }

    private mutating func open() {
        core = LoneCore(settings: settings)
        for row in disk.keys.sorted(by: { ($0.kind, $0.key.count) < ($1.kind, $1.key.count) }) {
            _ = core.restore(kind: row.kind, key: row.key, value: disk[row]!)
        }
        var out: [NodeEffect] = []
        summary = core.finishRestore(now: now, into: &out)
        turn()
    }

    /// kill -9: what was not committed is lost.
    mutating func restart(afterMilliseconds pause: Int64 = 500) {
        now = now.advanced(byMilliseconds: pause)
        uncommitted = []
        open()
    }

    private mutating func turn() {
        var out: [NodeEffect] = []
        core.endTurn(now: now, into: &out)
        take(out)
    }

    private mutating func take(_ out: [NodeEffect]) {
        effects = out
        for case .store(let batch, let writes, _) in out { uncommitted.append((batch, writes)) }
    }

    @discardableResult mutating func send(_ input: CoreInput) -> [NodeEffect] {
        var out: [NodeEffect] = []
        core.handle(input, now: now, into: &out)
        core.endTurn(now: now, into: &out)
        take(out)
        return out
    }

    /// The same for the catalogue of channels.
    @discardableResult mutating func manage(_ input: ChannelInput) -> [NodeEffect] {
        var out: [NodeEffect] = []
        core.handle(input, now: now, into: &out)
        core.endTurn(now: now, into: &out)
        take(out)
        return out
    }

    /// Makes everything durable, the batches that this makes the core write among them.
    @discardableResult mutating func commit() -> [NodeEffect] {
        var all: [NodeEffect] = []
        while let last = uncommitted.last?.batch {
            for write in uncommitted.flatMap(\.writes) {
                disk[Row(kind: write.kind.rawValue, key: write.key)] = write.value
            }
            uncommitted = []
            all += send(.stored(batch: last))
        }
        effects = all
        return all
    }

    /// Lets time pass and commits what comes of it.
    @discardableResult mutating func wait(milliseconds: Int64) -> [NodeEffect] {
        now = now.advanced(byMilliseconds: milliseconds)
        let first = send(.tick)
        effects = first + commit()
        return effects
    }

    mutating func origin() -> UInt64 {
        lastOrigin += 1
        return lastOrigin
    }

    // MARK: Shorthands

    static let layout = PayloadLayout(stampOffset: 0, stampLength: 0, stampInsertion: .alone)
    static let ringing = PayloadLayout(
        stampOffset: 0, stampLength: 0, stampInsertion: .alone, alertOffset: 1, alertLength: 1)

    static func channel(_ name: String = "match") -> Key { Key(app: "shop", kind: .channel, name: name)! }
    static func activity(_ name: String = "order") -> Key { Key(app: "shop", kind: .activity, name: name)! }
    static func token(_ name: String) -> Destination {
        Destination(kind: .token, app: 0, address: Array(name.utf8))
    }

    static func event(
        _ id: String, _ key: Key = activity(), _ event: EventKind = .update, rings: Bool = false,
        important: Bool = false, instance: UInt32? = nil, revision: Int64? = nil, notBefore: Int64? = nil,
        expiresAt: Int64? = nil, audience: StartAudience? = nil
    ) -> PublishInput {
        PublishInput(
            origin: 0, producer: Array("p1".utf8), app: 0, key: key, instance: instance, eventID: Array(id.utf8),
            event: event, important: important, revision: revision, notBeforeMilliseconds: notBefore,
            expiresAtMilliseconds: expiresAt, audience: audience, payload: Array("{\(id)}".utf8),
            layout: rings ? ringing : layout)
    }

    static func event(
        _ id: String, _ kind: EventKind, instance: UInt32? = nil, revision: Int64? = nil
    ) -> PublishInput {
        event(id, activity(), kind, instance: instance, revision: revision)
    }

    static func event(_ id: String, instance: UInt32) -> PublishInput {
        event(id, .update, instance: instance)
    }

    @discardableResult mutating func publish(_ input: PublishInput) -> [NodeEffect] {
        var input = input
        input.origin = origin()
        return send(.publish(input))
    }

    /// Publishes and commits; everything that came out.
    @discardableResult mutating func publishDurably(_ input: PublishInput) -> [NodeEffect] {
        let first = publish(input)
        effects = first + commit()
        return effects
    }

    @discardableResult mutating func register(_ token: String, _ key: Key = activity()) -> [NodeEffect] {
        let first = send(
            .register(RegisterInput(origin: origin(), key: key, destination: CoreDriver.token(token))))
        effects = first + commit()
        return effects
    }

    mutating func unregister(_ token: String, device: String = "", end: ActivityEnd? = nil) {
        let input = RegisterInput(
            origin: origin(), key: Self.activity(), destination: Self.token(token), device: Array(device.utf8))
        send(.unregister(input, end: end))
    }

    mutating func makeChannel(_ key: Key = channel(), id: String = "CH1", policy: StoragePolicy = .mostRecent) {
        manage(.create(origin: origin(), app: 0, key: key, policy: policy))
        for case .manage(let intent, _, .create) in commit() {
            manage(.answered(intent: intent, answer: .created(channelID: Array(id.utf8))))
        }
        commit()
    }

    @discardableResult mutating func report(
        _ item: PushItem, _ destination: Destination, _ outcome: LaneReport.Outcome, mayHaveArrived: Bool = false
    ) -> [NodeEffect] {
        let first = send(
            .report([
                LaneReport(
                    destination: destination, ticket: item.ticket, sequence: item.sequence, outcome: outcome,
                    mayHaveArrived: mayHaveArrived)
            ]))
        effects = first + commit()
        return effects
    }
}

extension [NodeEffect] {
    var offers: [(item: PushItem, destinations: [Destination])] {
        compactMap { if case .offer(let item, let destinations) = $0 { (item, destinations) } else { nil } }
    }

    var replies: [Reply] { compactMap { if case .reply(_, let reply) = $0 { reply } else { nil } } }

    var acknowledgements: [Acknowledgement] {
        replies.compactMap { if case .acknowledged(let answer) = $0 { answer } else { nil } }
    }

    /// Slugs of refusals.
    var refusals: [String] {
        replies.compactMap { if case .refused(let fault, _) = $0 { fault.code.slug } else { nil } }
    }

    var receipts: [Receipt] { compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } } }

    /// `event outcome` of each receipt.
    var outcomes: [String] { receipts.map { String(decoding: $0.eventID, as: UTF8.self) + " " + $0.outcome.name } }

    var operations: [(intent: UInt64, operation: ChannelOperation)] {
        compactMap { if case .manage(let intent, _, let operation) = $0 { (intent, operation) } else { nil } }
    }

    var notices: [Notice] { compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
}

extension PushItem {
    /// The event whose payload it carries, as `CoreDriver.event` makes it.
    var eventName: String { String(decoding: payload.dropFirst().dropLast(), as: UTF8.self) }
}
