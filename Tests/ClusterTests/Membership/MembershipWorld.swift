import Cluster
import Delivery
import Wire

/// Memberships of many nodes in virtual time, from one seed: links that lose and delay, nodes that crash, restart and
/// stand still, partitions, addresses that are used again.
struct MembershipWorld {
    /// What links do.
    struct Weather {
        var lossPercent: Int64 = 0
        var delayMicroseconds: ClosedRange<Int64> = 300...1_000
    }

    /// One process, or the place of one that is gone.
    struct Node {
        var membership: Membership
        var cluster: NodeID
        var address: String
        var isUp = true
        /// Nodes of different groups do not hear each other.
        var group = 0
        var wallSkew: Int64 = 0
        /// Stands still until then, in microseconds; 0: runs.
        var stalledUntil: Int64 = 0
        var inbox: [(message: MembershipMessage, header: MeshHeader)] = []
        var plannedTick: Int64 = .max
        var bytesSent = 0
        var messagesSent = 0

        var id: NodeID { membership.me.id }
    }

    /// A change that a node saw.
    struct Observation {
        var milliseconds: Int64
        var observer: Int
        var row: MemberRow
        var before: MemberState?
    }

    private enum Event {
        case arrival(address: String, from: Int, MembershipMessage, MeshHeader)
        case tick(Int)
        case stallEnd(Int)
    }

    static let clusterName = "test"
    static let inboxMax = 4_096
    /// The wall clock at the start: 2026.
    static let wallStart: Int64 = 1_780_000_000_000

    var settings: MembershipSettings
    var weather = Weather()
    var nodes: [Node] = []
    /// Microseconds since the start.
    private(set) var time: Int64 = 1_000_000
    private(set) var observations: [Observation] = []
    private(set) var notices: [(observer: Int, notice: ClusterNotice)] = []
    /// Off in long measurements.
    var keepsObservations = true
    /// Encodes every message, which costs time.
    var countsBytes = false
    private var places: [String: Int] = [:]
    private var agenda = Agenda<Event>()
    private var dice: Dice
    private var effects: [MembershipEffect] = []

    init(seed: UInt64, settings: MembershipSettings = MembershipSettings()) {
        dice = Dice(seed: seed)
        self.settings = settings
    }

    var milliseconds: Int64 { time / 1_000 }

    // MARK: - What tests do to nodes

    /// Starts a node; `seeds` are names of nodes that stand at their usual addresses.
    @discardableResult
    mutating func start(
        _ name: String, id: NodeID? = nil, at address: String? = nil, seeds: [String], cluster: NodeID = .none,
        clusterName: String = Self.clusterName, generation: UInt64? = nil
    ) -> Int {
        let address = address ?? Self.address(of: name)
        let node = id ?? NodeID(high: dice.next(), low: dice.next())
        let member = Member(
            id: node, incarnation: Incarnation(generation: generation ?? UInt64(Self.wallStart + milliseconds)),
            name: name, control: address, data: address + "1", producers: address + "2")
        var membership = Membership(
            settings: settings, clusterName: clusterName, me: member,
            seeds: seeds.map { Seed(name: $0, control: Self.address(of: $0)) }, random: dice.next())
        membership.setCluster(cluster)
        let index = nodes.count
        nodes.append(Node(membership: membership, cluster: cluster, address: address))
        places[address] = index
        planTick(index)
        return index
    }

    /// Starts `count` nodes named n0, n1, … of one cluster, each with the first few as seeds.
    mutating func startMany(_ count: Int, seeds: Int = 3, cluster: NodeID = NodeID(high: 7, low: 7)) {
        let names = (0..<min(seeds, count)).map { "n\($0)" }
        for number in 0..<count { start("n\(number)", seeds: names, cluster: cluster) }
    }

    static func address(of name: String) -> String { "tcp://\(name):7711" }

    /// The process is gone; what is on its way to it is lost.
    mutating func crash(_ index: Int) {
        nodes[index].isUp = false
        nodes[index].inbox = []
        if places[nodes[index].address] == index { places[nodes[index].address] = nil }
    }

    /// The same data directory starts again, perhaps elsewhere.
    @discardableResult
    mutating func restart(_ index: Int, at address: String? = nil, seeds: [String]) -> Int {
        if nodes[index].isUp { crash(index) }
        let old = nodes[index]
        let before = old.membership.me
        return start(
            before.name, id: before.id, at: address ?? old.address, seeds: seeds, cluster: old.cluster,
            generation: max(before.incarnation.generation + 1, UInt64(Self.wallStart + milliseconds)))
    }

    /// Nothing of the node runs for so long; messages wait for it.
    mutating func stall(_ index: Int, milliseconds: Int64) {
        guard nodes[index].isUp else { return }
        nodes[index].stalledUntil = time + milliseconds * 1_000
        agenda.plan(.stallEnd(index), at: nodes[index].stalledUntil)
    }

    mutating func part(_ indices: some Sequence<Int>, into group: Int) {
        for index in indices { nodes[index].group = group }
    }

    /// Calls the membership as its node would, and carries out what it wants.
    mutating func change(_ index: Int, _ body: (inout Membership, Moment, inout [MembershipEffect]) -> Void) {
        effects.removeAll(keepingCapacity: true)
        body(&nodes[index].membership, moment(of: index), &effects)
        carryOut(effects, of: index)
        planTick(index)
    }

    // MARK: - Time

    mutating func run(milliseconds: Int64) { run(until: self.milliseconds + milliseconds) }

    mutating func run(until end: Int64) {
        while let (when, event) = agenda.next(before: end * 1_000) {
            time = max(time, when)
            happen(event)
        }
        time = max(time, end * 1_000)
    }

    /// Runs until `condition` holds, looking every 50 ms; nil when it did not within the time.
    mutating func run(
        atMost milliseconds: Int64, until condition: (MembershipWorld) -> Bool
    ) -> Int64? {
        let begin = self.milliseconds
        while !condition(self) {
            guard self.milliseconds - begin < milliseconds else { return nil }
            run(milliseconds: 50)
        }
        return self.milliseconds - begin
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .arrival(let address, let sender, let message, let header):
            guard let index = places[address], nodes[index].isUp, nodes[index].group == nodes[sender].group else {
                return
            }
            guard nodes[index].stalledUntil == 0 else {
                if nodes[index].inbox.count < Self.inboxMax { nodes[index].inbox.append((message, header)) }
                return
            }
            change(index) { $0.handle(message, header, now: $1, into: &$2) }
        case .tick(let index):
            guard nodes[index].isUp, nodes[index].stalledUntil == 0, nodes[index].plannedTick <= time else { return }
            nodes[index].plannedTick = .max
            change(index) { $0.tick(now: $1, into: &$2) }
        case .stallEnd(let index):
            guard nodes[index].isUp, nodes[index].stalledUntil <= time else { return }
            wake(index)
        }
    }

    /// A real loop may see its timers first, or its sockets.
    private mutating func wake(_ index: Int) {
        nodes[index].stalledUntil = 0
        // Ticks that came meanwhile did nothing.
        nodes[index].plannedTick = .max
        let inbox = nodes[index].inbox
        nodes[index].inbox = []
        let ticksFirst = dice.chance(percent: 50)
        if ticksFirst { change(index) { $0.tick(now: $1, into: &$2) } }
        for (message, header) in inbox { change(index) { $0.handle(message, header, now: $1, into: &$2) } }
        change(index) { $0.tick(now: $1, into: &$2) }
    }

    func moment(of index: Int) -> Moment {
        Moment(
            wallMilliseconds: Self.wallStart + milliseconds + nodes[index].wallSkew, bootMilliseconds: milliseconds)
    }

    private mutating func planTick(_ index: Int) {
        // Never earlier than the millisecond in which the clock shows the deadline.
        let due = max(time, nodes[index].membership.nextDeadline.multipliedOrMax(by: 1_000))
        guard due < nodes[index].plannedTick else { return }
        nodes[index].plannedTick = due
        agenda.plan(.tick(index), at: due)
    }

    // MARK: - Effects

    private mutating func carryOut(_ effects: [MembershipEffect], of index: Int) {
        for effect in effects {
            switch effect {
            case .send(let message, let member):
                send(
                    message, from: index, to: member.control, target: member.id,
                    generation: member.incarnation.generation)
            case .sendToSeed(_, let control, let message):
                send(message, from: index, to: control, target: .none, generation: 0)
            case .changed(let row, let before):
                guard keepsObservations else { continue }
                observations.append(
                    Observation(milliseconds: milliseconds, observer: index, row: row, before: before))
            case .notice(let notice):
                if keepsObservations { notices.append((index, notice)) }
            }
        }
    }

    private mutating func send(
        _ message: MembershipMessage, from index: Int, to address: String, target: NodeID, generation: UInt64
    ) {
        let me = nodes[index].membership.me
        let header = MeshHeader(
            cluster: nodes[index].cluster, sender: me.id, generation: me.incarnation.generation, target: target,
            targetGeneration: generation)
        nodes[index].messagesSent += 1
        if countsBytes { nodes[index].bytesSent += MeshFrame.encode(.membership(message), header).count }
        guard !dice.chance(percent: weather.lossPercent) else { return }
        let delay = dice.between(weather.delayMicroseconds.lowerBound, weather.delayMicroseconds.upperBound)
        agenda.plan(.arrival(address: address, from: index, message, header), at: time + delay)
    }

    mutating func forgetObservations() {
        observations = []
        notices = []
    }

    // MARK: - What holds

    /// Running nodes of the group.
    func running(in group: Int? = nil) -> [Int] {
        nodes.indices.filter { nodes[$0].isUp && (group == nil || nodes[$0].group == group) }
    }

    /// Whether all of these see exactly these alive, in their present incarnation, and nobody else present.
    func agree(_ indices: [Int]) -> Bool {
        let members = indices.map { nodes[$0].membership.me }.sorted { $0.id < $1.id }
        return indices.allSatisfy { index in
            let present = nodes[index].membership.rows.filter { $0.state == .alive || $0.state == .suspect }
            return present.allSatisfy { $0.state == .alive } && present.map(\.member) == members
        }
    }

    /// Where `agree` fails, for people.
    func disagreements(_ indices: [Int]) -> String {
        var text = ""
        for index in indices {
            for row in nodes[index].membership.rows {
                let owner = indices.first { nodes[$0].id == row.member.id }
                if let owner, row == MemberRow(member: nodes[owner].membership.me, state: .alive) { continue }
                if owner == nil, row.state == .dead || row.state == .left { continue }
                text += "\(index): \(row.member.name) \(row.state.name) \(row.member.incarnation); "
            }
            let missing = indices.count - nodes[index].membership.rows.count
            if missing > 0 { text += "\(index): \(missing) missing; " }
        }
        return text
    }

    func state(of subject: NodeID, seenBy index: Int) -> MemberState? {
        nodes[index].membership.row(subject)?.state
    }
}

extension Int64 {
    fileprivate func multipliedOrMax(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
