internal import Cluster
internal import Delivery
internal import LiveActivity
internal import Wire

/// A whole cluster with its network, disks, clocks, APNs, devices and producers in virtual time, from one seed.
///
/// Everything that can be late, lost or out of order is, until the world heals; then it has to come to rest with every
/// promise kept. Threads: none; a world is a value that one thread runs.
struct World {
    let seed: UInt64
    let options: SimulationOptions
    let faults: FaultKinds
    var dice: Dice
    var agenda = Agenda<Happening>()
    var time: Int64 = 0
    var hash = TraceHash()
    var isHealed = false
    var report: SimulationReport
    var violation: Violation?
    var checks: Checks

    var network: SimulatedNetwork
    var nodes: [SimulatedNode] = []
    /// The cluster's seed of the shard hash, the same in every start's random bytes.
    let shardSeed: [UInt8]
    /// Shards that are placed: those of the names, the registry and a few empty ones. One seed in fifty places all.
    let shards: [UInt16]
    var placesEveryShard: Bool { shards.count > Int(Shard.count) }
    /// The failure domain of every node.
    let zones: [String]
    /// Index of a node by the address of either port.
    let places: [String: Int]

    var apple: AppleSide
    var links: [UInt64: AppleLink] = [:]
    var appleWeather = AppleWeather()
    var deliveryAt = Int64.max

    var producers: [Producer] = []
    var phones: [Phone] = []
    var startDevices: [StartDevice] = []
    /// Phones by destination.
    var audience: [Destination: [Int]] = [:]
    var attempts: [UInt64: Attempt] = [:]
    var lastOrigin: UInt64 = 0
    /// Answers to requests that were handed on, on their way back.
    var answersUnderWay: [UInt64: ClientAnswer] = [:]

    var nemesis = Nemesis()
    var scheme: Scheme
    /// The last time at which something kept nodes from hearing each other, or will have kept them.
    var disturbedUntil: Int64 = 0
    /// When nodes lost the disks that made them who they were.
    var lostIdentities: [NodeID: Int64] = [:]
    /// Reused for the effects of one call.
    var effects: [NodeEffect] = []
    var sending: [SendingEffect] = []
    var arrivals: [Int64] = []

    init(seed: UInt64, options: SimulationOptions) {
        var dice = Dice(seed: seed)
        let nodes = min(max(options.nodes, 1), 9)
        var scheme = Scheme(plan: options.plan ?? NemesisPlan.drawn(seed: seed, nodes: nodes), seed: seed)
        var drawn = FaultKinds.drawn(&dice)
        if scheme.dice.chance(perMille: 500) { drawn.subtract(scheme.plan.disturbing) }
        faults = options.faults ?? drawn
        self.scheme = scheme
        self.seed = seed
        self.options = options
        report = SimulationReport(seed: seed)
        network = SimulatedNetwork(nodes: nodes)
        apple = AppleSide(seed: dice.next(), equalStampsAreShown: dice.chance(perMille: 500))
        var places: [String: Int] = [:]
        for index in 0..<nodes {
            places[Seat.control(index)] = index
            places[Seat.data(index)] = index
        }
        self.places = places
        shardSeed = dice.bytes(16)
        let named = Self.shards(ofNames: max(options.names, 1), seed: shardSeed)
        shards = seed % 50 == 0 ? Array(0...Shard.registry) : named
        checks = Checks(
            nodes: nodes, watched: named, placed: shards,
            rebalanceAfterMilliseconds: Seat.rebalanceMilliseconds(scheme.plan))
        zones = Self.zones(of: nodes, seed: seed)
        self.dice = dice
        makeNodes(nodes)
        makeProducers()
        setWeather()
        planFaults()
        beginPlan()
    }

    private mutating func makeNodes(_ count: Int) {
        let wrong = faults.contains(.wrongClock) ? dice.below(count) : nil
        let drifts = scheme.plan == .clocks
        let farOff = drifts ? scheme.dice.below(count) : nil
        for index in 0..<count {
            let isOff = faults.contains(.clocks)
            var skew = isOff ? dice.between(-900, 900) : dice.between(-5, 5)
            if index == wrong { skew = dice.chance(perMille: 500) ? 6_000 : -6_000 }
            if index == farOff { skew = scheme.dice.chance(perMille: 500) ? 9_000 : -9_000 }
            var rate = isOff ? dice.between(-10_000, 10_000) : 0
            if drifts { rate = scheme.dice.chance(perMille: 500) ? 10_000 : -10_000 }
            let clock = SimulatedClock(
                skewMilliseconds: skew, ratePPM: rate,
                bootOffset: dice.between(1_000, 100_000_000))
            nodes.append(
                SimulatedNode(
                    index: index, core: seat(index, of: count).makeCore(random: 0),
                    loop: SendingLoop(seed: 0, now: clock.moment(at: 0), mutant: nil), clock: clock))
            agenda.plan(.start(index), at: dice.between(0, 300))
        }
    }

    func seat(_ index: Int, of count: Int) -> Seat {
        Seat(
            index: index, nodes: count, zone: zones[index], mutant: options.mutant,
            shards: placesEveryShard ? nil : Set(shards), plan: scheme.plan)
    }

    /// Two seeds of five have all nodes in one zone, two have three zones, one has two.
    private static func zones(of nodes: Int, seed: UInt64) -> [String] {
        // Dice of their own, as for plans.
        var dice = Dice(seed: seed ^ 0x2545_f491_4f6c_dd1d)
        let count = [1, 1, 3, 3, 2][dice.below(5)]
        return (0..<nodes).map { count == 1 ? "" : "zone\($0 % count + 1)" }
    }

    /// Names beside those of the options, of activities that are started by push.
    static let startersCount = 2

    /// What every name is called. Starters come behind the others, of which half are channels.
    static func key(_ index: Int, of names: Int) -> Key? {
        let isChannel = index < names && index % 2 == 0
        return Key(app: "shop", kind: isChannel ? .channel : .activity, name: "name\(index)")
    }

    func shardNumber(ofProducer index: Int) -> UInt16 {
        let halves = (Self.word(shardSeed[0..<8]), Self.word(shardSeed[8..<16]))
        return Wire.shard(of: producers[index].key, seed: halves)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func shards(ofNames count: Int, seed: [UInt8]) -> [UInt16] {
        let halves = (word(seed[0..<8]), word(seed[8..<16]))
        let named = (0..<count + startersCount).compactMap {
            key($0, of: count).map { shard(of: $0, seed: halves) }
        }
        return Set(named + [0, 1, 2, Shard.registry]).sorted()
    }

    // MARK: Running

    /// Lives through faults, heals, comes to rest, and is checked.
    mutating func live() -> SimulationReport {
        advance(to: options.chaosMilliseconds)
        if violation == nil { heal() }
        advance(to: options.chaosMilliseconds + options.restMilliseconds)
        if violation == nil { checkRest() }
        report.milliseconds = time
        report.traceHash = hash.value
        report.messages = network.sent
        report.copiesMoved = checks.placement.moved
        report.failovers = checks.shards.changesOfOwner
        if let violation { report.violations = [violation] }
        return report
    }

    private mutating func advance(to limit: Int64) {
        while violation == nil, let (at, happening) = agenda.next(before: limit) {
            time = at
            report.events += 1
            happen(happening)
        }
        if violation == nil { time = limit }
    }

    private mutating func happen(_ happening: Happening) {
        hash.mix(time)
        switch happening {
        case .arrive(let parcel): arrive(parcel)
        case .turn(let node, let run): if isCurrent(node, run) { turn(node) }
        case .loop(let node, let run): if isCurrent(node, run) { runLoop(node) }
        case .flush(let node, let run): if isCurrent(node, run) { flush(node) }
        case .commit(let node, let run): if isCurrent(node, run) { commit(node) }
        case .start(let node): start(node)
        case .push(let push): arrive(push)
        case .manage(let request): arrive(request)
        case .apple(let node, let run, let news): if isCurrent(node, run) { hear(node, news) }
        case .managed(let node, let run, let intent, let answer, let kind):
            if isCurrent(node, run) { heard(node, intent, answer, kind) }
        case .deliver: deliver()
        case .publish(let producer): publish(producer)
        case .retry(let wish): attempt(wish)
        case .client(let origin): clientArrives(origin)
        case .timeOut(let origin): timeOut(origin)
        case .answer(let origin, let answer): answered(origin, answer)
        case .online(let phone, let isOnline): setOnline(phone, isOnline)
        case .die(let phone): die(phone)
        case .fault(let fate): befall(fate)
        case .nemesis: lookAround()
        case .scheme: plot()
        case .calm: checkLeader()
        case .seen(let node, let run): if isCurrent(node, run) { checkSeen(node) }
        case .operatorLooks: operatorLooks()
        case .drained(let node, let run): if isCurrent(node, run) { endDrained(node) }
        }
    }

    private func isCurrent(_ node: Int, _ run: Int) -> Bool { nodes[node].isUp && nodes[node].run == run }

    mutating func plan(_ happening: Happening, after milliseconds: Int64) {
        agenda.plan(happening, at: time + max(0, milliseconds))
    }

    /// A promise did not hold: the run ends.
    mutating func fail(_ invariant: Violation.Invariant, _ node: Int?, _ text: String) {
        guard violation == nil else { return }
        violation = Violation(
            invariant: invariant, seed: seed, nodes: nodes.count, plan: scheme.plan, atMilliseconds: time, node: node,
            text: text)
        trace(node, "VIOLATION \(invariant.rawValue) \(text)")
    }

    func trace(_ node: Int?, _ text: @autoclosure () -> String) {
        guard let sink = options.trace else { return }
        sink("\(time) \(node.map { "n\($0 + 1)" } ?? "--") \(text())")
    }
}
