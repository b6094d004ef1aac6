import Testing

@testable import Cluster

/// A node that leaves for good is no voter and no member any more when it ends.
@Suite struct LeavingTests {
    private func leave(_ net: inout NodeNet, _ name: String) throws {
        let id = try #require(net.nodes[name]?.core.record?.id)
        net.give(name, .drain(isFinal: true))
        let hasEnded = net.until(50_000) { $0.drained.contains(name) }
        #expect(hasEnded, "\(net.notices.suffix(20))")
        for other in net.nodes.keys where other != name {
            #expect(net.nodes[other]?.core.state.members[id]?.isRemoved == true)
            #expect(net.nodes[other]?.core.voters.contains(id) == false)
        }
        net.kill(name)
        net.wipe(name)
        let isWhole = net.until(10_000) { $0.isWhole }
        #expect(isWhole)
    }

    private func cluster() -> NodeNet {
        var net = NodeNet(["n1", "n2", "n3"])
        let isWhole = net.until(30_000) { $0.isWhole }
        #expect(isWhole)
        return net
    }

    private func coordinator(_ net: borrowing NodeNet) throws -> String {
        try #require(["n1", "n2", "n3"].first { net.nodes[$0]!.core.coordinatesTerm != nil })
    }

    @Test func aVoterEndsWhenItVotesNoMore() throws {
        var net = cluster()
        let lead = try coordinator(net)
        try leave(&net, lead == "n3" ? "n2" : "n3")
    }

    @Test func aCoordinatorHandsOverTheLeadFirst() throws {
        var net = cluster()
        try leave(&net, try coordinator(net))
    }

    @Test func theLastOneJustEnds() throws {
        var net = NodeNet(["n1"])
        #expect(net.until(5_000) { $0.isWhole })
        net.give("n1", .drain(isFinal: true))
        #expect(net.until(5_000) { $0.drained.contains("n1") })
    }
}
