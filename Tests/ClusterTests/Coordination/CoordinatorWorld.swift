import Delivery
import Wire

@testable import Cluster

/// Members, a log that is never wrong and often late, and owners that do as they should: what the coordinator is played
/// against, by a seed. Every change of the state is checked when it is applied.
struct CoordinatorWorld {
    struct Node {
        var member: Member
        var lease: LeaseClient
        var coordinator: Coordinator
        var isUp = true
        /// Its messages do not get through.
        var isCut = false
        var clockOffset: Int64 = 0
        var clockSince: Int64 = 0
        /// What it has let go, by shard: the epoch.
        var released: [UInt16: UInt64] = [:]
        var nextReport: Int64 = 0
        /// Since when nobody hears it; nil while it is heard.
        var silentSince: Int64?
    }

    enum Mail {
        case request(CoordinationMessage, MeshHeader, to: NodeID)
        case answer(CoordinationMessage, from: NodeID, to: NodeID)
    }

    static let lease: Int64 = 2000
    static let step: Int64 = 50

    let settings: CoordinatorSettings
    var dice: Dice
    var lossPercent: Int64 = 0
    var delayMilliseconds: Int64 = 20
    /// Proposals that never get into the log, of 100.
    var proposalLossPercent: Int64 = 0
    var nodes: [NodeID: Node] = [:]
    var state = ClusterState()
    var voters: VoterSet
    var charter: Charter
    var leader: NodeID?
    var leaderless: Int64 = 0
    var term: UInt64 = 0
    var time: Int64 = 10_000
    var mails: [(at: Int64, Mail)] = []
    var log: [(at: Int64, [UInt8])] = []
    /// Since when a member is a learner of a shard at any epoch.
    var learning: [UInt16: [NodeID: Int64]] = [:]
    var owners: [UInt16: (epoch: UInt64, owner: NodeID)] = [:]
    var problems: [String] = []
    var notices: [ClusterNotice] = []
    var copiesBegun = 0
    var places = 0
    var refusals: [NodeID: LeaseRefusal] = [:]
    /// Nothing is reported by owners.
    var isSilent = false
    /// Shards whose owners wait for copies to read.
    var waiting: Set<UInt16> = []
    /// Shards of which an operator has accepted the loss.
    var lost: Set<UInt16> = []
    /// Epochs that an owner was told to begin without the copies that are missing.
    var told: [UInt16: UInt64] = [:]

    init(
        nodes count: Int, voters voterCount: Int = 3, moves: Int = 1024, seed: UInt64 = 1, mutant: Mutant? = nil,
        configured: [String] = []
    ) {
        dice = Dice(seed: seed)
        var settings = CoordinatorSettings(
            leaseMilliseconds: Self.lease, rebalanceAfterMilliseconds: 8000, mutant: mutant)
        settings.movesMax = moves
        settings.voters = configured
        self.settings = settings
        let first = (1...UInt64(max(1, voterCount))).map {
            Charter.Voter(id: NodeID(high: $0, low: 0), name: "n\($0)")
        }
        charter = Charter(
            cluster: NodeID(high: 99, low: 99), name: "test", shardSeed: [3, 4], voters: first)
        voters = VoterSet(voters: first.map(\.id))
        for number in 0..<UInt64(count) { join(number + 1) }
    }

    static func id(_ number: UInt64) -> NodeID { NodeID(high: number, low: 0) }

    var up: [NodeID] { nodes.keys.sorted().filter { nodes[$0]?.isUp ?? false } }

    private var heard: [NodeID] { up.filter { !(nodes[$0]?.isCut ?? true) } }

    // MARK: What happens to nodes

    /// A new node, `low` tells apart those of one name.
    mutating func join(_ number: UInt64, low: UInt64 = 0, zone: String = "") {
        let id = NodeID(high: number, low: low)
        let member = Member(
            id: id, incarnation: Incarnation(generation: UInt64(time)), name: "n\(number)", zone: zone,
            control: "c\(number)", data: "d\(number)")
        nodes[id] = Node(
            member: member, lease: LeaseClient(settings: LeaseSettings(), random: dice.next()),
            coordinator: Coordinator(settings: settings, me: id, shardSeed: (3, 4)))
    }

    mutating func kill(_ id: NodeID) {
        nodes[id]?.isUp = false
        silence(id)
    }

    mutating func start(_ id: NodeID) {
        guard let old = nodes[id] else { return }
        nodes[id]?.isUp = true
        nodes[id]?.isCut = false
        nodes[id]?.silentSince = nil
        nodes[id]?.released = [:]
        nodes[id]?.member.incarnation.generation = max(old.member.incarnation.generation + 1, UInt64(time))
        let random = dice.next()
        nodes[id]?.lease = LeaseClient(settings: LeaseSettings(), random: random)
        nodes[id]?.coordinator = Coordinator(settings: settings, me: id, shardSeed: (3, 4))
        if leader == id { leader = nil }
    }

    mutating func cut(_ id: NodeID, _ isCut: Bool = true) {
        nodes[id]?.isCut = isCut
        if isCut { silence(id) } else { nodes[id]?.silentSince = nil }
    }

    private mutating func silence(_ id: NodeID) {
        if nodes[id]?.silentSince == nil { nodes[id]?.silentSince = time }
    }

    // MARK: Time

    mutating func run(milliseconds: Int64) {
        let end = time + milliseconds
        while time < end, problems.isEmpty { step() }
    }

    /// Runs until it is true, looking every half second; false when it is not after so long.
    mutating func run(upTo milliseconds: Int64, until isDone: (CoordinatorWorld) -> Bool) -> Bool {
        let end = time + milliseconds
        while time < end, problems.isEmpty {
            step()
            if time % 500 == 0, isDone(self) { return true }
        }
        return false
    }

    mutating func step() {
        time += Self.step
        applyLog()
        deliver()
        for id in up { act(id) }
        lead()
        for id in up { coordinate(id) }
    }

    var moment: Moment { Moment(wallMilliseconds: 1_800_000_000_000 + time, bootMilliseconds: time) }

    private mutating func post(_ mail: Mail) {
        if dice.chance(percent: lossPercent) { return }
        mails.append((time + dice.between(0, delayMilliseconds), mail))
    }

    private mutating func deliver() {
        let due = mails.filter { $0.at <= time }
        mails.removeAll { $0.at <= time }
        for (_, mail) in due {
            switch mail {
            case .request(let message, let header, let target):
                guard reaches(header.sender, target) else { continue }
                var effects: [CoordinatorEffect] = []
                let (offset, hasQuorum, moment) = (nodes[header.sender]?.clockOffset, hasQuorum(target), moment)
                nodes[target]?.coordinator.handle(
                    message, header, state: state, lastIndex: 0, clockOffset: offset, hasQuorum: hasQuorum,
                    now: moment,
                    into: &effects)
                perform(effects, by: target)
            case .answer(let message, let sender, let target):
                guard reaches(sender, target) else { continue }
                answered(message, from: sender, to: target)
            }
        }
    }

    private func reaches(_ from: NodeID, _ to: NodeID) -> Bool {
        guard nodes[to]?.isUp ?? false else { return false }
        return from == to || !(nodes[from]?.isCut ?? true) && !(nodes[to]?.isCut ?? true)
    }

    private mutating func answered(_ message: CoordinationMessage, from sender: NodeID, to target: NodeID) {
        if case .handOver(_, let list) = message {
            for item in list where state.placement[item.shard].epoch == item.epoch {
                nodes[target]?.released[item.shard] = item.epoch
            }
            nodes[target]?.nextReport = time
        }
        if case .acceptLoss(_, let list) = message {
            for item in list {
                if !lost.contains(item.shard) { problems.append("shard \(item.shard) is given up unasked") }
                if state.placement[item.shard].epoch == item.epoch { told[item.shard] = item.epoch }
            }
        }
        var effects: [LeaseEffect] = []
        let now = time
        nodes[target]?.lease.handle(message, from: sender, now: now, into: &effects)
        nodes[target]?.lease.applied(upTo: 0, into: &effects)
        for effect in effects {
            if case .refused(let reason) = effect { refusals[target] = reason }
            if case .renewed = effect { checkLease(target) }
        }
    }

    // MARK: Members

    private mutating func act(_ id: NodeID) {
        guard let node = nodes[id] else { return }
        var effects: [LeaseEffect] = []
        let known = charter.voters.map(\.id) + voters.voters
        let now = time
        nodes[id]?.lease.tick(me: node.member, voters: known, wallMilliseconds: 0, now: now, into: &effects)
        let header = MeshHeader(
            cluster: charter.cluster, sender: id, generation: node.member.incarnation.generation)
        for case .send(let message, let target) in effects { post(.request(message, header, to: target)) }
        guard node.lease.isHeld(at: time), time >= node.nextReport, let leader, !isSilent else { return }
        nodes[id]?.nextReport = time + 400
        let progress = progress(of: id)
        let waits = waiting.filter { state.placement[$0].owner == id }.sorted().map {
            Progress.ShardEpoch(shard: $0, epoch: state.placement[$0].epoch)
        }
        if !waits.isEmpty { post(.request(.waiting(waits), header, to: leader)) }
        if progress != Progress() { post(.request(.progress(progress), header, to: leader)) }
    }

    /// What an owner reports: its take-overs take no time when enough copies are reachable, learners take 300 ms.
    private func progress(of id: NodeID) -> Progress {
        var progress = Progress()
        for (index, entry) in state.placement.entries.enumerated() where entry.owner == id {
            let shard = UInt16(index)
            let epoch = Progress.ShardEpoch(shard: shard, epoch: entry.epoch)
            if nodes[id]?.released[shard] == entry.epoch {
                progress.released.append(epoch)
                continue
            }
            guard isServed(entry) || told[shard] == entry.epoch && isWritten(entry) else { continue }
            if !entry.former.isEmpty || !entry.learners.isEmpty { progress.active.append(epoch) }
            for learner in entry.learners where isInStep(shard, learner) {
                progress.synced.append(Progress.ShardMember(shard: shard, epoch: entry.epoch, member: learner))
            }
        }
        return progress
    }

    private func isServed(_ entry: ShardEntry) -> Bool {
        let living = entry.replicas.filter(isReachable).count
        let former = entry.former.filter(isReachable).count
        return living >= max(entry.copiesNeeded, ShardEntry.readsNeeded(of: entry.replicas.count))
            && (entry.former.isEmpty || former >= ShardEntry.readsNeeded(of: entry.former.count))
    }

    private func isWritten(_ entry: ShardEntry) -> Bool {
        entry.replicas.filter(isReachable).count >= entry.copiesNeeded
    }

    private func isReachable(_ id: NodeID) -> Bool { nodes[id].map { $0.isUp && !$0.isCut } ?? false }

    private func isInStep(_ shard: UInt16, _ learner: NodeID) -> Bool {
        isReachable(learner) && (learning[shard]?[learner].map { time - $0 >= 300 } ?? false)
    }

    // MARK: Losses

    mutating func acceptLoss(of shards: Set<UInt16>?) -> [StuckShard] {
        guard let leader, let view = Optional(view(of: leader)) else { return [] }
        let (state, moment) = (state, moment)
        let stuck = nodes[leader]?.coordinator.acceptLoss(of: shards, state: state, view: view, now: moment) ?? []
        lost.formUnion(stuck.map(\.shard))
        return stuck
    }

    var stuck: [StuckShard] {
        guard let leader else { return [] }
        return nodes[leader]?.coordinator.stuckShards(state: state, view: view(of: leader), now: moment) ?? []
    }

    // MARK: Leadership

    private func hasQuorum(_ id: NodeID) -> Bool {
        guard id == leader, let node = nodes[id], node.isUp else { return false }
        if let silent = node.silentSince { return time - silent < 400 }
        return voters.voters.filter(heard.contains).count * 2 > voters.voters.count
    }

    private mutating func lead() {
        if let leader, hasQuorum(leader) {
            leaderless = time
            return
        }
        if let leader { nodes[leader]?.coordinator.end() }
        guard time - leaderless >= 800, let next = heard.filter(voters.voters.contains).randomElement(using: &dice),
            voters.voters.filter(heard.contains).count * 2 > voters.voters.count
        else { return }
        elect(next)
    }

    mutating func elect(_ next: NodeID) {
        if let leader { nodes[leader]?.coordinator.end() }
        leader = next
        leaderless = time
        term += 1
        // What is under way is lost, or was in the log after all.
        let open = log
        log = []
        for (_, payload) in open where dice.chance(percent: 50) { apply(payload) }
        let (term, moment) = (term, moment)
        nodes[next]?.coordinator.begin(term: term, now: moment)
        for id in nodes.keys.sorted() { nodes[id]?.coordinator.know(coordinator: next) }
    }

    private mutating func coordinate(_ id: NodeID) {
        var effects: [CoordinatorEffect] = []
        let (view, hasQuorum, moment) = (view(of: id), hasQuorum(id), moment)
        nodes[id]?.coordinator.tick(
            state: state, view: view, voters: voters, charter: charter, hasQuorum: hasQuorum, now: moment,
            into: &effects)
        perform(effects, by: id)
    }

    private func view(of id: NodeID) -> [MemberRow] {
        nodes.keys.sorted().compactMap { other in
            guard let node = nodes[other] else { return nil }
            let silent = node.silentSince.map { time - $0 } ?? 0
            return MemberRow(member: node.member, state: silent > 3000 ? .dead : silent > 900 ? .suspect : .alive)
        }
    }

    private mutating func perform(_ effects: [CoordinatorEffect], by id: NodeID) {
        for effect in effects {
            switch effect {
            case .propose(let commands):
                let payload = ClusterCommand.encode(commands)
                if payload.count > LogEntry.bytesMax { problems.append("a proposal of \(payload.count) bytes") }
                if dice.chance(percent: proposalLossPercent) { continue }
                log.append((time + dice.between(10, 100), payload))
            case .changeVoters(let set):
                let change = Set(set.voters).symmetricDifference(voters.voters)
                if change.count > 1 { problems.append("voters change by \(change.count)") }
                if set.voters.isEmpty { problems.append("no voters") }
                voters = set
            case .send(let message, let target): post(.answer(message, from: id, to: target))
            case .notice(let notice): notices.append(notice)
            }
        }
    }

    private mutating func applyLog() {
        while let first = log.first, first.at <= time {
            log.removeFirst()
            apply(first.1)
        }
    }

    private mutating func apply(_ payload: [UInt8]) {
        let old = state
        _ = state.apply(payload)
        check(from: old)
    }
}
