import Testing
import Wire

@testable import Cluster

/// The members' side of leases: counted from the sending, renewed, followed to the coordinator.
@Suite struct LeaseClientTests {
    private let me = Member(
        id: NodeID(high: 1, low: 0), incarnation: Incarnation(generation: 5), name: "n1", control: "c", data: "d")
    private let voters = [1, 2, 3].map { NodeID(high: $0, low: 0) }
    private let settings = LeaseSettings()

    private func ask(_ client: inout LeaseClient, at now: Int64) -> (UInt64, NodeID)? {
        var effects: [LeaseEffect] = []
        client.tick(me: me, voters: voters, wallMilliseconds: 0, now: now, into: &effects)
        guard case .send(.leaseRequest(let request, _, _), let node) = effects.first else { return nil }
        return (request, node)
    }

    private func hear(
        _ client: inout LeaseClient, _ message: CoordinationMessage, from node: NodeID, at now: Int64
    ) -> [LeaseEffect] {
        var effects: [LeaseEffect] = []
        client.handle(message, from: node, now: now, into: &effects)
        client.applied(upTo: 1, into: &effects)
        return effects
    }

    @Test func aLeaseCountsFromTheSendingOfItsRequest() throws {
        var client = LeaseClient(settings: settings, random: 77)
        let (request, node) = try #require(ask(&client, at: 1000))
        #expect(!client.isHeld(at: 1000))
        let effects = hear(
            &client, .lease(request: request, term: 3, milliseconds: 2000, index: 1), from: node, at: 1400)
        #expect(effects == [.renewed(until: 1000 + 2000 - 100 - settings.marginMilliseconds)])
        #expect(client.isHeld(at: 1400))
        #expect(!client.isHeld(at: 2850))
        #expect(client.coordinator == node)
    }

    @Test func aLeaseWaitsForTheLogThatItNames() throws {
        var client = LeaseClient(settings: settings, random: 77)
        let (first, node) = try #require(ask(&client, at: 1000))
        var effects: [LeaseEffect] = []
        client.handle(
            .lease(request: first, term: 3, milliseconds: 2000, index: 7), from: node, now: 1010, into: &effects)
        client.applied(upTo: 6, into: &effects)
        #expect(effects.isEmpty && !client.isHeld(at: 1010))
        let (second, _) = try #require(ask(&client, at: 1300))
        client.handle(
            .lease(request: second, term: 3, milliseconds: 2000, index: 9), from: node, now: 1310, into: &effects)
        client.applied(upTo: 8, into: &effects)
        #expect(effects == [.renewed(until: 1000 + 2000 - 100 - settings.marginMilliseconds)])
        client.applied(upTo: 9, into: &effects)
        #expect(client.until == 1300 + 2000 - 100 - settings.marginMilliseconds)
        client.applied(upTo: 10, into: &effects)
        #expect(effects.count == 2)
    }

    @Test func whatWaitsForTheLogIsBounded() throws {
        var client = LeaseClient(settings: settings, random: 77)
        var effects: [LeaseEffect] = []
        for turn in 0..<40 as Range<Int64> {
            let (request, node) = try #require(ask(&client, at: 1000 + 300 * turn))
            client.handle(
                .lease(request: request, term: 3, milliseconds: 2000, index: 100), from: node, now: 1000 + 300 * turn,
                into: &effects)
        }
        client.applied(upTo: 100, into: &effects)
        #expect(effects == [.renewed(until: 1000 + 300 * 39 + 2000 - 100 - settings.marginMilliseconds)])
    }

    @Test func answersToNothingAreIgnored() throws {
        var client = LeaseClient(settings: settings, random: 77)
        let (request, node) = try #require(ask(&client, at: 1000))
        let other = voters.first { $0 != node } ?? me.id
        #expect(
            hear(&client, .lease(request: request + 1, term: 3, milliseconds: 2000, index: 1), from: node, at: 1010)
                .isEmpty)
        #expect(
            hear(&client, .lease(request: request, term: 3, milliseconds: 2000, index: 1), from: other, at: 1010)
                .isEmpty)
        #expect(
            !hear(&client, .lease(request: request, term: 3, milliseconds: 2000, index: 1), from: node, at: 1010)
                .isEmpty)
        #expect(
            hear(&client, .lease(request: request, term: 3, milliseconds: 9000, index: 1), from: node, at: 1010).isEmpty
        )
        let (next, same) = try #require(ask(&client, at: 1300))
        #expect(same == node)
        #expect(
            hear(&client, .lease(request: next, term: 2, milliseconds: 2000, index: 1), from: node, at: 1310).isEmpty)
        #expect(hear(&client, .progress(Progress()), from: node, at: 1310).isEmpty)
    }

    @Test func itAsksEveryVoterInTurnAndFollowsHints() throws {
        var client = LeaseClient(settings: settings, random: 77)
        var asked: Set<NodeID> = []
        for turn in 0..<3 { asked.insert(try #require(ask(&client, at: Int64(turn) * 300)).1) }
        #expect(asked == Set(voters))
        let (request, node) = try #require(ask(&client, at: 900))
        let leader = voters.first { $0 != node } ?? me.id
        #expect(
            hear(&client, .notCoordinator(request: request, coordinator: leader), from: node, at: 910).isEmpty)
        #expect(client.nextDeadline < 1000)
        let (second, followed) = try #require(ask(&client, at: 1000))
        #expect(followed == leader)
        _ = hear(&client, .notCoordinator(request: second, coordinator: .none), from: leader, at: 1010)
        #expect(client.coordinator == nil)
    }

    @Test func aSilentCoordinatorIsGivenUp() throws {
        var client = LeaseClient(settings: settings, random: 77)
        let (request, node) = try #require(ask(&client, at: 0))
        _ = hear(&client, .lease(request: request, term: 1, milliseconds: 2000, index: 1), from: node, at: 10)
        let asked8 = try #require(ask(&client, at: 300))
        #expect(asked8.1 == node)
        let asked9 = try #require(ask(&client, at: 600))
        #expect(asked9.1 == node)
        let asked10 = try #require(ask(&client, at: 900))
        #expect(asked10.1 != node)
        #expect(client.isHeld(at: 900))
    }

    @Test func refusalsAndTheEndAreHeard() throws {
        var client = LeaseClient(settings: settings, random: .max)
        let (request, node) = try #require(ask(&client, at: 0))
        #expect(
            hear(&client, .leaseRefused(request: request, term: 1, .clockOff), from: node, at: 10)
                == [.refused(.clockOff)])
        #expect(ask(&client, at: 100) == nil)
        let (second, _) = try #require(ask(&client, at: 300))
        _ = hear(&client, .lease(request: second, term: 1, milliseconds: 2000, index: 1), from: node, at: 310)
        client.end()
        #expect(!client.isHeld(at: 310))
        client.know(coordinator: voters[2], now: 320)
        let asked11 = try #require(ask(&client, at: 320))
        #expect(asked11.1 == voters[2])
    }
}
