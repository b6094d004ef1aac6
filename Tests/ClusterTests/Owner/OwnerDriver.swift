import Cluster
import Codes
import Delivery
import LiveActivity
import Wire

/// An owner of some shards whose batches are committed shard by shard, when the test says so.
struct OwnerDriver {
    typealias Row = (kind: UInt8, key: [UInt8], value: [UInt8])

    var core: OwnerCore
    var now = Moment(wallMilliseconds: CoreDriver.start, bootMilliseconds: 1_000)
    /// Rows that are committed.
    var tables: [UInt16: [CoreDriver.Row: [UInt8]]] = [:]
    var uncommitted: [(batch: UInt64, writes: [ShardWrite])] = []
    var summary = RecoverySummary()
    private var lastOrigin: UInt64 = 0

    init(settings: CoreSettings = CoreSettings(apps: ["shop"])) {
        core = OwnerCore(settings: settings, shardSeed: (1, 2))
    }

    /// Ends the turn and notes what is to be written.
    @discardableResult mutating func end(_ effects: [CoreEffect]) -> [CoreEffect] {
        var out = effects
        core.endTurn(now: now, into: &out)
        for case .write(let writes, let batch) in out { uncommitted.append((batch, writes)) }
        return out
    }

    @discardableResult mutating func send(_ input: CoreInput) -> [CoreEffect] {
        var out: [CoreEffect] = []
        core.handle(input, now: now, into: &out)
        return end(out)
    }

    @discardableResult mutating func adopt(
        _ shards: [UInt16], epoch: UInt64 = 1, copies: Int = 1, isReassertion: Bool = false, isPartial: Bool = false
    ) -> [CoreEffect] {
        var out: [CoreEffect] = []
        let adoptions = shards.map {
            Adoption(
                shard: $0, epoch: epoch, copies: copies, rows: rows(of: $0), isReassertion: isReassertion,
                isPartial: isPartial)
        }
        summary = core.adopt(adoptions, now: now, into: &out)
        return end(out)
    }

    func rows(of shard: UInt16) -> [Row] {
        let table = tables[shard] ?? [:]
        return table.keys.sorted { ($0.kind, $0.key.count) < ($1.kind, $1.key.count) }
            .map { ($0.kind, $0.key, table[$0]!) }
    }

    @discardableResult mutating func relinquish(_ shards: [UInt16]) -> [CoreEffect] {
        var out: [CoreEffect] = []
        core.relinquish(shards, into: &out)
        for index in uncommitted.indices { uncommitted[index].writes.removeAll { shards.contains($0.shard) } }
        return end(out)
    }

    /// Commits the rows of one shard, until nothing of it is left.
    @discardableResult mutating func commit(_ shard: UInt16) -> [CoreEffect] {
        var all: [CoreEffect] = []
        while let last = uncommitted.last(where: { $0.writes.contains { $0.shard == shard } })?.batch {
            for index in uncommitted.indices {
                for write in uncommitted[index].writes where write.shard == shard {
                    tables[shard, default: [:]][CoreDriver.Row(kind: write.kind, key: write.key)] = write.value
                }
                uncommitted[index].writes.removeAll { $0.shard == shard }
            }
            all += send(.committed(shard: shard, upTo: last))
        }
        return all
    }

    @discardableResult mutating func commitAll() -> [CoreEffect] {
        var all: [CoreEffect] = []
        while let shard = uncommitted.lazy.compactMap({ $0.writes.first?.shard }).first { all += commit(shard) }
        return all
    }

    @discardableResult mutating func wait(milliseconds: Int64) -> [CoreEffect] {
        now = now.advanced(byMilliseconds: milliseconds)
        return send(.tick)
    }

    mutating func origin() -> UInt64 {
        lastOrigin += 1
        return lastOrigin
    }

    func shard(_ key: Key) -> UInt16 { core.shard(of: key) }

    @discardableResult mutating func publish(_ event: PublishInput) -> [CoreEffect] {
        var event = event
        event.origin = origin()
        return send(.publish(event))
    }

    @discardableResult mutating func register(_ token: String, _ key: Key) -> [CoreEffect] {
        send(.register(RegisterInput(origin: origin(), key: key, destination: CoreDriver.token(token))))
    }

    @discardableResult mutating func makeChannel(_ key: Key, id: String = "CH") -> [CoreEffect] {
        var entry = ChannelEntry(app: 0, policy: .none, state: .live)
        entry.channelID = Array(id.utf8)
        return send(.channelChanged(key: key, entry))
    }

    @discardableResult mutating func report(
        _ offer: (item: PushItem, destinations: [Destination]), _ outcome: LaneReport.Outcome
    ) -> [CoreEffect] {
        send(
            .report(
                offer.destinations.map {
                    LaneReport(
                        destination: $0, ticket: offer.item.ticket, sequence: offer.item.sequence, outcome: outcome)
                }))
    }
}

extension [CoreEffect] {
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

    /// Names of the events that were offered.
    var offered: [String] { offers.map(\.item.eventName) }

    var withdrawn: [UInt64] {
        flatMap { effect -> [UInt64] in if case .withdraw(let tickets) = effect { tickets } else { [] } }
    }

    var writes: [ShardWrite] {
        flatMap { effect -> [ShardWrite] in if case .write(let writes, _) = effect { writes } else { [] } }
    }

    var stages: [TraceStage] { compactMap { if case .stage(_, let stage) = $0 { stage } else { nil } } }
}
