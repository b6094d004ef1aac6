import Delivery
import Testing
import Wire

@testable import Cluster

/// What the coordinator says to messages that come at the wrong time, from the wrong node or about the wrong run.
@Suite struct CoordinatorMessageTests {
    private let me = CoordinatorWorld.id(1)
    private let other = CoordinatorWorld.id(2)
    private let now = Moment(wallMilliseconds: 0, bootMilliseconds: 50_000)

    private func member(_ id: NodeID, generation: UInt64 = 5) -> Member {
        Member(
            id: id, incarnation: Incarnation(generation: generation), name: "n\(id.high)", control: "c", data: "d")
    }

    private func state() -> ClusterState {
        var state = ClusterState()
        _ = state.apply(ClusterCommand.encode([.admit(member(me)), .admit(member(other))]))
        return state
    }

    private func leading() -> Coordinator {
        var coordinator = Coordinator(settings: CoordinatorSettings(), me: me, shardSeed: (1, 2))
        coordinator.begin(term: 3, now: now)
        return coordinator
    }

    private func hear(
        _ coordinator: inout Coordinator, _ message: CoordinationMessage, sender: NodeID, generation: UInt64 = 5,
        hasQuorum: Bool = true
    ) -> [CoordinatorEffect] {
        var effects: [CoordinatorEffect] = []
        coordinator.handle(
            message, MeshHeader(cluster: .none, sender: sender, generation: generation), state: state(),
            lastIndex: 40, clockOffset: 0, hasQuorum: hasQuorum, now: now, into: &effects)
        return effects
    }

    private func request(_ member: Member) -> CoordinationMessage {
        .leaseRequest(request: 8, member, wallMilliseconds: 0)
    }

    @Test func onlyTheLeaderWithAMajorityGivesLeases() {
        var idle = Coordinator(settings: CoordinatorSettings(), me: me, shardSeed: (1, 2))
        #expect(
            hear(&idle, request(member(other)), sender: other)
                == [.send(.notCoordinator(request: 8, coordinator: .none), to: other)])
        idle.know(coordinator: other)
        #expect(
            hear(&idle, request(member(other)), sender: other)
                == [.send(.notCoordinator(request: 8, coordinator: other), to: other)])
        var coordinator = leading()
        #expect(hear(&coordinator, request(member(other)), sender: other, hasQuorum: false).isEmpty)
        #expect(coordinator.leaseEnd(of: other) == nil)
        #expect(
            hear(&coordinator, request(member(other)), sender: other)
                == [.send(.lease(request: 8, term: 3, milliseconds: 2000, index: 40), to: other)])
        #expect(coordinator.leaseEnd(of: other) == 52_100)
        coordinator.end()
        #expect(coordinator.leaseEnd(of: other) == nil)
        #expect(coordinator.nextDeadline == nil)
    }

    @Test func aLeaseIsForOneRunOfANode() {
        var coordinator = leading()
        _ = hear(&coordinator, request(member(other)), sender: other)
        #expect(hear(&coordinator, request(member(other, generation: 4)), sender: other, generation: 4).isEmpty)
        #expect(
            hear(&coordinator, request(member(other, generation: 6)), sender: other, generation: 6)
                == [.send(.leaseRefused(request: 8, term: 3, .notAdmitted), to: other)])
        #expect(coordinator.leaseEnd(of: other) == nil, "the new run proves the old one over")
        #expect(hear(&coordinator, request(member(other)), sender: other).isEmpty)
    }

    @Test func whoSpeaksForOthersIsIgnored() {
        var coordinator = leading()
        #expect(hear(&coordinator, request(member(other)), sender: me).isEmpty)
        #expect(hear(&coordinator, request(member(other)), sender: other, generation: 9).isEmpty)
        #expect(hear(&coordinator, .handOver(term: 9, []), sender: other).isEmpty)
        #expect(hear(&coordinator, .lease(request: 1, term: 9, milliseconds: 1, index: 0), sender: other).isEmpty)
        let odd = Progress(
            active: [Progress.ShardEpoch(shard: 65_535, epoch: 1)],
            synced: [Progress.ShardMember(shard: 4097, epoch: 1, member: me)],
            released: [Progress.ShardEpoch(shard: 3, epoch: 0)])
        #expect(hear(&coordinator, .progress(odd), sender: other).isEmpty)
    }

    @Test func strangersAreBounded() {
        var coordinator = leading()
        for number in 0..<UInt64(3000) {
            let stranger = NodeID(high: 1000 + number, low: 1)
            _ = hear(&coordinator, request(member(stranger)), sender: stranger)
        }
        #expect(coordinator.asks.count == ClusterState.membersMax + Coordinator.strangersMax)
    }
}
