import Cluster
import Codes
import Delivery
import Wire

@testable import SimulatedCluster

/// A cluster of one without the cluster: `OwnerCore` alone, to try out the world itself.
struct LoneCore: ClusterCore {
    private var core: OwnerCore
    private let seat: Seat
    private var out: [CoreEffect] = []
    private var generation: UInt64 = 0
    private let nodeRow = StoreWrite(kind: .node, key: [], value: nil)

    static func make(_ seat: Seat) -> LoneCore { LoneCore(core: OwnerCore(settings: settings), seat: seat) }

    private static var settings: CoreSettings {
        var settings = CoreSettings(apps: ["shop"])
        settings.storeRetryMilliseconds = 200
        return settings
    }

    init(core: OwnerCore, seat: Seat) {
        self.core = core
        self.seat = seat
    }

    mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault? {
        core.restore(kind: kind, key: key, value: value)
    }

    mutating func finishRestore(randomBytes: [UInt8], now: Moment, into effects: inout [NodeEffect]) {
        generation = UInt64(now.bootMilliseconds)
        _ = core.finishRestore(randomBytes: randomBytes, now: now)
        effects.append(.lease(untilBootMilliseconds: .max))
    }

    mutating func handle(_ input: NodeInput, now: Moment, into effects: inout [NodeEffect]) {
        switch input {
        case .request(let request): core.handle(request, now: now, into: &out)
        case .stored(let batch): core.handle(.stored(batch: batch), now: now, into: &out)
        case .storeFailed(let batch): core.handle(.storeFailed(batch: batch), now: now, into: &out)
        case .report(let reports): core.handle(.report(reports), now: now, into: &out)
        case .channelAnswered(let intent, let answer):
            core.handle(.channelAnswered(intent: intent, answer: answer), now: now, into: &out)
        case .tick: core.handle(.tick, now: now, into: &out)
        case .control, .replication, .drain: break
        }
        flush(&effects)
    }

    mutating func endTurn(now: Moment, into effects: inout [NodeEffect]) {
        core.endTurn(now: now, into: &out)
        flush(&effects)
    }

    private mutating func flush(_ effects: inout [NodeEffect]) {
        for effect in out {
            switch effect {
            case .store(let batch, let writes, let isRetry):
                effects.append(.store(batch: batch, writes: writes, isRetry: isRetry))
            case .reply(let origin, let reply): effects.append(.reply(origin: origin, reply))
            case .receipt(let receipt): effects.append(.receipt(receipt))
            case .offer(let item, let places): effects.append(.offer(item, places))
            case .manage(let intent, let app, let operation):
                effects.append(.manage(intent: intent, app: app, operation))
            case .notice(let notice): effects.append(.notice(notice))
            }
        }
        out = []
    }

    var nextDeadline: Int64? { core.nextDeadline }

    func route(_ key: Key) -> CoreRoute { .here }

    func header(to target: Member?) -> MeshHeader {
        MeshHeader(cluster: .none, sender: member.id, generation: generation)
    }

    var member: Member {
        Member(
            id: NodeID(high: 1, low: UInt64(seat.index)), incarnation: Incarnation(generation: generation),
            name: seat.name, control: seat.control, data: seat.data)
    }
}
