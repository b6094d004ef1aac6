import Cluster
import Delivery
import Testing
import Wire

/// One membership and hand-made messages.
struct MembershipBench {
    static let cluster = NodeID(high: 1, low: 1)

    var membership: Membership
    var effects: [MembershipEffect] = []
    var now = Moment(wallMilliseconds: 1_780_000_000_000, bootMilliseconds: 1_000)

    init(
        settings: MembershipSettings = MembershipSettings(), seeds: [Seed] = [], cluster: NodeID = Self.cluster
    ) {
        membership = Membership(
            settings: settings, clusterName: "test", me: Self.member(1, generation: 100), seeds: seeds, random: 5)
        membership.setCluster(cluster)
        tick()
        effects = []
    }

    static func member(_ number: UInt64, generation: UInt64 = 10, counter: UInt32 = 0, name: String? = nil) -> Member {
        Member(
            id: NodeID(high: 0, low: number), incarnation: Incarnation(generation: generation, counter: counter),
            name: name ?? "n\(number)", control: "tcp://10.0.0.\(number):1", data: "tcp://10.0.0.\(number):2")
    }

    mutating func tick(after milliseconds: Int64 = 0) {
        now = now.advanced(byMilliseconds: milliseconds)
        membership.tick(now: now, into: &effects)
    }

    /// Ticks whenever it is due, for so long.
    mutating func live(milliseconds: Int64) {
        let end = now.bootMilliseconds + milliseconds
        while membership.nextDeadline <= end {
            tick(after: max(0, membership.nextDeadline - now.bootMilliseconds))
        }
        now = now.advanced(byMilliseconds: end - now.bootMilliseconds)
    }

    /// Lives on for some tenths of a second. Members for which `skew` says what their clocks show beyond ours answer
    /// pings, after `delay` milliseconds.
    mutating func answerPings(tenths: Int, delay: Int64 = 0, _ skew: (Member) -> Int64?) {
        for _ in 0..<tenths {
            effects = []
            live(milliseconds: 100)
            let pings = effects
            now = now.advanced(byMilliseconds: delay)
            for case .send(.ping(let sequence, _), let member) in pings {
                guard let skew = skew(member) else { continue }
                hear(.ack(sequence: sequence, Gossip(wallMilliseconds: now.wallMilliseconds + skew)), from: member)
            }
        }
    }

    mutating func hear(
        _ message: MembershipMessage, from sender: Member, cluster: NodeID = Self.cluster, target: NodeID? = nil,
        targetGeneration: UInt64? = nil
    ) {
        let header = MeshHeader(
            cluster: cluster, sender: sender.id, generation: sender.incarnation.generation,
            target: target ?? membership.me.id,
            targetGeneration: targetGeneration ?? membership.me.incarnation.generation)
        membership.handle(message, header, now: now, into: &effects)
    }

    mutating func join(_ member: Member, cluster: NodeID = Self.cluster, name: String = "test") {
        hear(.join(clusterName: name, member), from: member, cluster: cluster, target: NodeID.none)
    }

    mutating func gossip(_ updates: [MemberUpdate], from sender: Member, cluster: NodeID = Self.cluster) {
        hear(.gossip(Gossip(updates: updates, wallMilliseconds: 0)), from: sender, cluster: cluster)
    }

    func verdict(_ state: MemberState, _ member: Member, by: UInt64 = 9) -> MemberUpdate {
        .verdict(state, node: member.id, incarnation: member.incarnation, by: NodeID(high: 0, low: by))
    }

    func state(_ number: UInt64) -> MemberState? { membership.row(NodeID(high: 0, low: number))?.state }

    /// Messages to a member since the last call.
    mutating func sent(to number: UInt64) -> [MembershipMessage] {
        defer { effects = [] }
        return effects.compactMap {
            guard case .send(let message, let member) = $0, member.id.low == number else { return nil }
            return message
        }
    }

    var refusal: RefusalReason? {
        for case .send(.refused(let reason, _), _) in effects { return reason }
        return nil
    }
}

@Suite struct MembershipTests {
    private let second = MembershipBench.member(2)
    private let third = MembershipBench.member(3)

    private func trio() -> MembershipBench {
        var bench = MembershipBench()
        bench.join(second)
        bench.join(third)
        bench.effects = []
        return bench
    }

    @Test func aJoinIsAnsweredWithEverything() {
        var bench = MembershipBench()
        bench.join(second)
        guard case .exchange(let rows, true, _)? = bench.sent(to: 2).last else {
            Issue.record("no exchange")
            return
        }
        #expect(rows.map(\.member.id.low) == [1, 2])
    }

    @Test func joinsAreRefusedWithTheirReason() {
        var bench = trio()
        bench.join(MembershipBench.member(4), name: "other")
        #expect(bench.refusal == .otherName)
        bench.effects = []
        bench.join(MembershipBench.member(4), cluster: NodeID(high: 8, low: 8))
        #expect(bench.refusal == .otherCluster)
        bench.effects = []
        bench.join(MembershipBench.member(4, name: "n2"))
        #expect(bench.refusal == .nameTaken)
        bench.effects = []
        bench.join(MembershipBench.member(4, name: "n1"))
        #expect(bench.refusal == .nameTaken)
        bench.effects = []
        bench.membership.setRemoved([NodeID(high: 0, low: 2)])
        bench.join(MembershipBench.member(2, generation: 99))
        #expect(bench.refusal == .removed)
        #expect(bench.membership.rows.count == 2)
        #expect(bench.membership.counters.refusedJoins == 5)
    }

    @Test func aReplacementComesInWhenTheOldOneIsDead() {
        var bench = trio()
        let new = MembershipBench.member(4, generation: 50, name: "n2")
        bench.gossip([bench.verdict(.dead, second)], from: third)
        bench.join(new)
        #expect(bench.state(2) == .dead && bench.state(4) == .alive)
        #expect(bench.membership.member(named: "n2")?.id == new.id)
        // Whoever hears of the newcomer hears first that the old one is dead.
        bench.live(milliseconds: 1_000)
        for case .send(.gossip(let gossip), let to) in bench.effects where to.id.low == 3 {
            guard let place = gossip.updates.firstIndex(of: .alive(new)) else { continue }
            #expect(gossip.updates[..<place].contains { $0.node == second.id })
        }
    }

    @Test func aHigherGenerationSupersedesAtOnceWhateverTheAddress() {
        var bench = trio()
        bench.gossip([bench.verdict(.suspect, second)], from: third)
        var moved = MembershipBench.member(2, generation: 11)
        moved.control = "tcp://10.9.9.9:1"
        bench.gossip([.alive(moved)], from: third)
        #expect(bench.membership.row(second.id) == MemberRow(member: moved, state: .alive))
        // Verdicts about the run before, and messages of it, say nothing.
        bench.gossip([bench.verdict(.dead, second)], from: third)
        bench.hear(.leave(second.incarnation), from: second)
        #expect(bench.state(2) == .alive)
        #expect(bench.membership.counters.oldRuns == 1)
    }

    @Test func verdictsAboutThisNodeAreContradictedOrIgnored() {
        var bench = trio()
        bench.gossip([bench.verdict(.dead, MembershipBench.member(1, generation: 99))], from: second)
        #expect(bench.membership.me.incarnation.counter == 0)
        #expect(bench.membership.counters.wrongGenerations == 1)
        bench.effects = []
        bench.gossip([bench.verdict(.suspect, MembershipBench.member(1, generation: 100))], from: second)
        #expect(bench.membership.me.incarnation == Incarnation(generation: 100, counter: 1))
        guard case .gossip(let gossip)? = bench.sent(to: 2).first else {
            Issue.record("no refutation")
            return
        }
        #expect(gossip.updates.first == .alive(bench.membership.me))
        #expect(bench.membership.health == 1)
    }

    @Test func onlyWhoLivesAddsAMember() {
        var bench = trio()
        let unknown = MembershipBench.member(7)
        bench.gossip([bench.verdict(.suspect, unknown), bench.verdict(.dead, unknown)], from: second)
        #expect(bench.state(7) == nil)
        bench.membership.setRemoved([unknown.id])
        bench.gossip([.alive(unknown)], from: second)
        let rows = [MemberRow(member: unknown, state: .alive), MemberRow(member: unknown, state: .dead)]
        bench.hear(.exchange(rows: rows, isReply: true, Gossip(wallMilliseconds: 0)), from: second)
        #expect(bench.state(7) == nil)
        bench.membership.setRemoved([])
        bench.hear(.exchange(rows: [rows[1]], isReply: true, Gossip(wallMilliseconds: 0)), from: second)
        #expect(bench.state(7) == .dead)
    }

    @Test func whoSpeaksToAnEarlierRunIsTold() {
        var bench = trio()
        bench.hear(.ping(sequence: 1, Gossip(wallMilliseconds: 0)), from: second, targetGeneration: 99)
        #expect(bench.sent(to: 2) == [.wrongGeneration(bench.membership.me)])
        bench.hear(.wrongGeneration(MembershipBench.member(2, generation: 12)), from: second)
        #expect(bench.membership.row(second.id)?.member.incarnation.generation == 12)
    }

    @Test func anOldAckOnlyTellsTheRoundTrip() {
        var bench = trio()
        bench.live(milliseconds: 600)
        guard let (sequence, node) = firstPing(bench.effects) else {
            Issue.record("no ping")
            return
        }
        bench.live(milliseconds: 1_500)
        let state = bench.membership.row(node.id)?.state
        #expect(state == .suspect)
        bench.hear(.ack(sequence: sequence, Gossip(wallMilliseconds: 0)), from: node)
        #expect(bench.membership.row(node.id)?.state == .suspect)
        #expect(bench.membership.counters.staleAcks == 1)
    }

    private func firstPing(_ effects: [MembershipEffect]) -> (UInt32, Member)? {
        for case .send(.ping(let sequence, _), let member) in effects { return (sequence, member) }
        return nil
    }

    @Test func theSuspectIsToldFirst() {
        var bench = trio()
        bench.gossip([bench.verdict(.suspect, second)], from: third)
        bench.effects = []
        bench.hear(.ping(sequence: 4, Gossip(wallMilliseconds: 0)), from: second)
        guard case .ack(4, let gossip)? = bench.sent(to: 2).first else {
            Issue.record("no ack")
            return
        }
        #expect(gossip.updates.first == bench.verdict(.suspect, second))
    }

    @Test func relaysAnswerOrSayThatTheyAreWell() {
        var bench = trio()
        bench.hear(.pingRequest(sequence: 77, node: third.id, Gossip(wallMilliseconds: 0)), from: second)
        guard let (sequence, node) = firstPing(bench.effects), node.id == third.id else {
            Issue.record("no ping")
            return
        }
        bench.live(milliseconds: 210)
        #expect(bench.sent(to: 2).contains(.nack(sequence: 77)))
        bench.hear(.ack(sequence: sequence, Gossip(wallMilliseconds: 0)), from: third)
        guard case .ack(77, _)? = bench.sent(to: 2).last else {
            Issue.record("no ack")
            return
        }
        // Nobody to ask: it says so at once.
        bench.hear(.pingRequest(sequence: 78, node: NodeID(high: 5, low: 5), Gossip(wallMilliseconds: 0)), from: second)
        #expect(bench.sent(to: 2) == [.nack(sequence: 78)])
    }

    @Test func whoLeavesIsNotMissed() {
        var bench = trio()
        bench.hear(.leave(second.incarnation), from: second)
        #expect(bench.state(2) == .left)
        bench.membership.leave(now: bench.now, into: &bench.effects)
        #expect(bench.sent(to: 3).contains(.leave(bench.membership.me.incarnation)))
        bench.gossip([bench.verdict(.suspect, bench.membership.me)], from: third)
        #expect(bench.membership.me.incarnation.counter == 0 && bench.membership.counters.deaths == 0)
    }

    @Test func aDescriptionRaisesTheCounter() {
        var bench = trio()
        bench.membership.describe({ $0.isDraining = true }, now: bench.now)
        #expect(bench.membership.me.incarnation.counter == 1 && bench.membership.me.isDraining)
        bench.live(milliseconds: 250)
        #expect(!bench.sent(to: 3).isEmpty)
        bench.membership.describe({ $0.id = NodeID.none }, now: bench.now)
        #expect(bench.membership.me.id.low == 1 && bench.membership.me.incarnation.counter == 1)
    }

    @Test func clocksAreComparedWithTheMedian() {
        var bench = trio()
        bench.answerPings(tenths: 40, delay: 2) { $0.id.low == 2 ? 4_999 : -1 }
        // Half a round trip of up to 100 ms is how far they may be wrong here.
        #expect((4_940...5_060).contains(bench.membership.clockOffset(of: second.id) ?? 0))
        #expect((-60...60).contains(bench.membership.clockOffset(of: third.id) ?? 999))
        #expect((-60...60).contains(bench.membership.clockOffsetMilliseconds ?? 999))
    }

    /// The one member whose clock was measured is doubted: without it nothing would be known of clocks, and its own
    /// would pass.
    @Test func aSuspectMembersClockCounts() {
        var bench = trio()
        bench.answerPings(tenths: 20) { $0.id == second.id ? 6_000 : nil }
        #expect(bench.membership.clockOffset(of: third.id) == nil)
        bench.gossip([bench.verdict(.suspect, second)], from: third)
        #expect(bench.state(2) == .suspect)
        // The middle between the two clocks that are known.
        #expect((-3_060 ... -2_940).contains(bench.membership.clockOffsetMilliseconds ?? 0))
    }

    @Test func theTableIsBounded() {
        var bench = MembershipBench(settings: MembershipSettings(membersMax: 4))
        for number in 2...9 { bench.join(MembershipBench.member(UInt64(number))) }
        #expect(bench.membership.rows.count == 4 && bench.membership.counters.overflow == 5)
        // A dead member whose name has a new bearer makes room.
        bench.gossip([bench.verdict(.dead, second)], from: third)
        bench.join(MembershipBench.member(20, name: "n3b"))
        #expect(bench.state(20) == nil)
        bench.gossip([bench.verdict(.dead, third)], from: MembershipBench.member(4))
        bench.join(MembershipBench.member(21, name: "n2"))
        #expect(bench.state(21) == nil, "the dead one has no successor yet")
    }

    @Test func everythingIsTakenWithoutATrap() {
        var dice = Dice(seed: 3)
        for _ in 0..<40 {
            var bench = MembershipBench(settings: MembershipSettings(membersMax: 6))
            for _ in 0..<250 {
                bench.hear(
                    message(&dice), from: member(&dice),
                    cluster: dice.chance(percent: 80) ? MembershipBench.cluster : .none,
                    target: dice.chance(percent: 90) ? nil : NodeID.none,
                    targetGeneration: dice.chance(percent: 80) ? nil : dice.next())
                if dice.chance(percent: 30) { bench.tick(after: dice.below(3_000)) }
                if dice.chance(percent: 2) { bench.membership.setRemoved([member(&dice).id]) }
                bench.effects.removeAll(keepingCapacity: true)
            }
            #expect(bench.membership.rows.count <= 6)
            #expect(bench.membership.rows.map(\.member.id) == bench.membership.rows.map(\.member.id).sorted())
        }
    }

    private func member(_ dice: inout Dice) -> Member {
        let extremes: [UInt64] = [0, 1, 10, 100, .max]
        let counters: [UInt32] = [0, 1, .max - 1, .max]
        var member = MembershipBench.member(
            UInt64(dice.below(9)), generation: extremes[Int(dice.below(5))], counter: counters[Int(dice.below(4))],
            name: "n\(dice.below(6))")
        if dice.chance(percent: 5) { member.name = String(repeating: "x", count: Int(dice.below(200))) }
        return member
    }

    private func message(_ dice: inout Dice) -> MembershipMessage {
        let updates = (0..<dice.below(9)).map { _ -> MemberUpdate in
            let member = member(&dice)
            if dice.chance(percent: 50) { return .alive(member) }
            let state = MemberState.allCases[Int(dice.below(4))]
            return .verdict(state, node: member.id, incarnation: member.incarnation, by: self.member(&dice).id)
        }
        let walls: [Int64] = [0, .max, .min, 1_780_000_000_000]
        let gossip = Gossip(
            updates: updates, stateIndex: dice.next(), wallMilliseconds: walls[Int(dice.below(4))], health: 255)
        let sequence = UInt32(dice.below(20))
        switch dice.below(10) {
        case 0: return .ping(sequence: sequence, gossip)
        case 1: return .ack(sequence: sequence, gossip)
        case 2: return .pingRequest(sequence: sequence, node: member(&dice).id, gossip)
        case 3: return .nack(sequence: sequence)
        case 4: return .gossip(gossip)
        case 5, 6:
            let rows = (0..<dice.below(9)).map { _ in
                MemberRow(member: member(&dice), state: MemberState.allCases[Int(dice.below(4))])
            }
            return .exchange(rows: rows, isReply: dice.chance(percent: 50), gossip)
        case 7: return .join(clusterName: dice.chance(percent: 90) ? "test" : "x", member(&dice))
        case 8: return .leave(member(&dice).incarnation)
        default: return .wrongGeneration(member(&dice))
        }
    }
}
