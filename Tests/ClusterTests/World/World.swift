import Cluster
import Delivery
import LiveActivity
import Wire

/// One node with its disk, its lanes, APNs and devices in virtual time, and a guest that shards move to and back:
/// everything that can be late, lost or out of order is, by a seed, until the world heals; then the promises are
/// checked.
struct World {
    enum Happening {
        case publish(Int)
        case resend(Int)
        case register(Int)
        case stored(UInt64)
        case storeFailed(UInt64)
        case guestStored(UInt64, UInt16)
        case leave(UInt16)
        case arrive(UInt16, Int)
        case guestDies
        case offered(Int, PushItem, [Destination])
        case reported(Int, [LaneReport])
        case answered(Int, SendID, Int)
        case failed(Int, SendID, SendFailure)
        case deliver(Destination, WorldMessage)
        case toDevice(Int, WorldMessage)
        case online(Int, Bool)
        case managed(UInt64, ChannelAnswer)
        case wakeCore
        case wakeGuest
        case wakeLanes(Int)
        case crash
        case restart
        case outage(Bool)
    }

    struct Row: Hashable {
        var kind: UInt8
        var key: [UInt8]
    }

    static let start: Int64 = 1_800_000_000_000
    let seed: UInt64
    let faulty: Bool
    let mutant: Mutant?
    var dice: Dice
    var agenda = Agenda<(run: Run?, Happening)>()
    var time: Int64 = 0
    /// How often the node and the guest have begun.
    var runs = [0, 0]
    var isUp = true
    var isHealed = false
    var isOutage = false

    var core: LoneCore
    var guest: OwnerCore
    /// The node's and the guest's.
    var lanes: [LaneTable]
    var disk: [Row: [UInt8]] = [:]
    /// Rows on their way to the disk, with the epoch of their shard.
    var underWay: [UInt64: [(write: StoreWrite, epoch: UInt64)]] = [:]
    var guestUnderWay: [UInt64: [(write: ShardWrite, epoch: UInt64)]] = [:]
    var guestFreeAt: [UInt16: Int64] = [:]
    /// Whose a shard is: 0 the node's, 1 the guest's; nil while it is on its way.
    var owners: [UInt16: Int?] = [:]
    var epochs: [UInt16: UInt64] = [:]
    /// Tickets of shards that have moved away: what lanes still hold of them is not sent.
    var withdrawn: [Set<UInt64>] = [[], []]
    var moves = 0
    var diskFreeAt: Int64 = 0
    /// A batch failed: nothing is written until one comes that is a retry.
    var diskIsBroken = false

    var producers: [WorldProducer] = []
    var devices: [WorldDevice] = []
    var audience: [Destination: [Int]] = [:]
    /// Tokens whose registration was answered.
    var registered: Set<Destination> = []
    /// What APNs has, and which name was seen to use it.
    var channels: [[UInt8]] = []
    var channelOwners: [Destination: Int] = [:]
    var registrations: [UInt64: Destination] = [:]
    var dead: Set<Destination> = []
    var sentEnds: [Destination: Set<Int>] = [:]
    var problems: [String] = []
    var lastOrigin: UInt64 = 0
    var origins: [UInt64: Int] = [:]
    var wakeCoreAt = Int64.max
    var wakeGuestAt = Int64.max
    var wakeLanesAt = [Int64.max, Int64.max]
    var sends = 0
    var crashes = 0
    var leadMax: Int64 = 0

    init(seed: UInt64, faulty: Bool = true, mutant: Mutant? = nil) {
        self.seed = seed
        self.mutant = mutant
        self.faulty = faulty
        dice = Dice(seed: seed)
        core = LoneCore(settings: Self.coreSettings(mutant))
        guest = OwnerCore(settings: Self.coreSettings(mutant))
        lanes = [0, 1].map { LaneTable(settings: Self.laneSettings, seed: seed &+ $0) }
        startNode()
        makeKeys()
    }

    static func coreSettings(_ mutant: Mutant?) -> CoreSettings {
        var settings = CoreSettings(apps: ["shop"])
        settings.mutant = mutant
        settings.storeRetryMilliseconds = 200
        return settings
    }

    static var laneSettings: LaneSettings {
        var settings = LaneSettings()
        settings.serverError = BackOff(baseMilliseconds: 500, maxMilliseconds: 4_000)
        settings.throttled = BackOff(baseMilliseconds: 500, maxMilliseconds: 4_000)
        return settings
    }

    var now: Moment { Moment(wallMilliseconds: Self.start + time, bootMilliseconds: time) }

    /// Two channels with two devices each and two activities with up to three tokens, one of which comes late.
    private mutating func makeKeys() {
        for index in 0..<4 {
            let isChannel = index < 2
            let key = Key(app: "shop", kind: isChannel ? .channel : .activity, name: "k\(index)")!
            producers.append(WorldProducer(key: key, index: index, period: index % 2 == 0 ? 50 : 400))
            plan(.publish(index), after: 300 + Int64(index))
            if isChannel {
                let place = Destination(kind: .channel, app: 0, address: [UInt8(index)])
                for _ in 0..<2 { addDevice(index, place) }
                applyChannel(.create(origin: 0, app: 0, key: key, policy: .none))
            }
        }
        endTurn()
    }

    /// Tokens belong to one instance of an activity: each instance gets its own.
    mutating func addTokens(_ producer: Int, instance: Int) {
        let count = 1 + Int(dice.below(3))
        for number in 0..<count {
            let place = Destination(kind: .token, app: 0, address: [UInt8(producer), UInt8(instance), UInt8(number)])
            guard audience[place] == nil else { continue }
            addDevice(producer, place)
            if faulty, dice.chance(percent: 8) { dead.insert(place) }
            plan(.register(devices.count - 1), after: number == 0 ? 0 : dice.between(0, 8_000))
        }
    }

    private mutating func addDevice(_ key: Int, _ place: Destination) {
        audience[place, default: []].append(devices.count)
        devices.append(WorldDevice(key: key))
        guard faulty, place.kind == .token, dice.chance(percent: 30) else { return }
        // A token is offline for a while; what APNs stores for it is the last message only.
        let from = dice.between(0, 8_000)
        plan(.online(devices.count - 1, false), after: from)
        plan(.online(devices.count - 1, true), after: from + dice.between(100, 6_000))
    }

    /// With `of`, the happening is forgotten when that node dies.
    mutating func plan(_ happening: Happening, after milliseconds: Int64, of node: Int? = nil) {
        agenda.plan((node.map { Run(node: $0, number: runs[$0]) }, happening), at: time + max(0, milliseconds))
    }

    struct Run: Equatable {
        var node: Int
        var number: Int
    }

    // MARK: Running

    /// Lives `active` milliseconds with faults, then heals and lives until everything has come to rest.
    mutating func live(active: Int64, rest: Int64 = 45_000) -> [String] {
        if faulty {
            for _ in 0..<dice.between(0, 3) { plan(.crash, after: dice.between(500, active)) }
            if dice.chance(percent: 40) {
                let from = dice.between(0, active)
                plan(.outage(true), after: from)
                plan(.outage(false), after: from + dice.between(2_000, 16_000))
            }
            planMoves(active)
        }
        advance(to: active)
        isHealed = true
        isOutage = false
        if !isUp { restart() }
        for device in devices.indices { goOnline(device, true) }
        advance(to: active + 20_000)
        for index in producers.indices { resend(index) }
        advance(to: active + rest)
        check()
        return problems
    }

    private mutating func advance(to limit: Int64) {
        while problems.isEmpty, let (at, (owner, happening)) = agenda.next(before: limit) {
            time = at
            guard owner.map({ runs[$0.node] == $0.number }) ?? true else { continue }
            happen(happening)
        }
        time = limit
    }

    private mutating func happen(_ happening: Happening) {
        switch happening {
        case .publish(let index): publish(index)
        case .resend(let index): resend(index)
        case .register(let device): register(device)
        case .stored(let batch): stored(batch)
        case .storeFailed(let batch):
            underWay[batch] = nil
            turn(.storeFailed(batch: batch))
        case .guestStored(let batch, let shard): guestStored(batch, shard)
        case .leave(let shard): leave(shard)
        case .arrive(let shard, let node): arrive(shard, node)
        case .guestDies: guestDies()
        case .offered(let node, let item, let places): offer(node, item, places)
        case .reported(let node, let reports):
            if node == 0 { turn(.report(reports)) } else { turnGuest(.report(reports)) }
        case .answered(let node, let id, let status): answer(node, id, status)
        case .failed(let node, let id, let failure):
            var out: [LaneEffect] = []
            lanes[node].failed(id, failure, now: now, into: &out)
            carryOut(node, out)
        case .deliver(let place, let message): deliver(place, message)
        case .toDevice(let device, let message): show(device, message)
        case .online(let device, let isOnline): goOnline(device, isOnline)
        case .managed(let intent, let answer):
            guard isUp else { return }
            applyChannel(.answered(intent: intent, answer: answer))
            endTurn()
            tellGuest()
        case .wakeCore: wakeCore()
        case .wakeGuest: wakeGuest()
        case .wakeLanes(let node): wakeLanes(node)
        case .crash: crash()
        case .restart: restart()
        case .outage(let isOutage): self.isOutage = isOutage && !isHealed
        }
    }

    private mutating func crash() {
        guard isUp, !isHealed else { return }
        crashes += 1
        isUp = false
        runs[0] += 1
        underWay = [:]
        wakeCoreAt = .max
        wakeLanesAt[0] = .max
        plan(.restart, after: dice.chance(percent: 30) ? dice.between(10_000, 14_000) : dice.between(100, 1_500))
    }

    private mutating func restart() {
        guard !isUp else { return }
        isUp = true
        core = LoneCore(settings: Self.coreSettings(mutant))
        lanes[0] = LaneTable(settings: Self.laneSettings, seed: seed &+ UInt64(runs[0]))
        withdrawn[0] = []
        startNode()
    }

    private mutating func startNode() {
        for row in disk.keys.sorted(by: {
            ($0.kind, $0.key.count, $0.key.last ?? 0) < ($1.kind, $1.key.count, $1.key.last ?? 0)
        }) {
            if let fault = core.restore(kind: row.kind, key: row.key, value: disk[row]!) { problems.append("\(fault)") }
        }
        diskFreeAt = time
        diskIsBroken = false
        var out: [NodeEffect] = []
        _ = core.finishRestore(except: Set(owners.filter { $0.value != 0 }.keys), now: now, into: &out)
        checkNothingLost(core.owner)
        carryOut(out)
        endTurn()
    }

    mutating func note(_ problem: String) { problems.append("at \(time) ms: \(problem)") }
}
