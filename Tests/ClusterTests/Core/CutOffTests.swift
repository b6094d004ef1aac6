import Codes
import Delivery
import Testing
import Wire

@testable import Cluster

/// Nodes that do not reach APNs while others do.
@Suite struct CutOffTests {
    private func owned(_ net: borrowing NodeNet, _ name: String) -> Int {
        guard let node = net.nodes[name], let id = node.core.record?.id else { return -1 }
        return node.core.state.placement.owned(by: id).count
    }

    private func whole() -> NodeNet {
        var net = NodeNet(["n1", "n2", "n3"])
        let isWhole = net.until(60_000) { $0.isWhole }
        #expect(isWhole)
        return net
    }

    private func lose(_ net: inout NodeNet, _ name: String) {
        net.give(name, .reach(.lost(since: net.now.bootMilliseconds)))
    }

    private func coordinator(_ net: borrowing NodeNet) throws -> String {
        try #require(["n1", "n2", "n3"].first { net.nodes[$0]!.core.coordinatesTerm != nil })
    }

    @Test func othersOwnWhatItOwned() throws {
        var net = whole()
        let lead = try coordinator(net)
        let victim = lead == "n2" ? "n3" : "n2"
        lose(&net, victim)
        net.advance(1_900)
        #expect(owned(net, victim) > 1_000, "a short loss moves nothing")
        let isFree = net.until(8_000) { owned($0, victim) == 0 }
        #expect(isFree, "\(owned(net, victim)) left")
        #expect(net.nodes[victim]?.core.state.placement[0].replicas.count == 3, "its copies stay")
        #expect(net.until(5_000) { $0.isWhole })
        net.give(victim, .reach(.reached))
        net.advance(4_000)
        #expect(owned(net, victim) == 0, "what is found has to stay")
        #expect(net.until(60_000) { owned($0, victim) > 1_000 && $0.isWhole })
    }

    @Test func aCoordinatorHandsOverTheLeadToo() throws {
        var net = whole()
        let lead = try coordinator(net)
        lose(&net, lead)
        let isFree = net.until(20_000) { owned($0, lead) == 0 && $0.nodes[lead]!.core.coordinatesTerm == nil }
        #expect(isFree)
        #expect(net.until(10_000) { $0.isWhole })
        #expect(try coordinator(net) != lead)
    }

    @Test func whoHasJustComeBackGetsNothingUntilItHasStayed() throws {
        var net = whole()
        let lead = try coordinator(net)
        let (returns, other) = lead == "n3" ? ("n2", "n1") : ("n3", lead == "n1" ? "n2" : "n1")
        net.kill(returns)
        #expect(net.until(20_000) { $0.isWhole })
        net.advance(6_000)
        net.start(returns)
        #expect(net.until(10_000) { $0.isWhole })
        let epochs = net.nodes[lead]!.core.state.placement.entries.map(\.epoch)
        for name in [lead, other] { lose(&net, name) }
        net.advance(6_000)
        #expect(owned(net, returns) == 0)
        #expect(net.nodes[lead]!.core.state.placement.entries.map(\.epoch) == epochs, "nothing goes to and fro")
        #expect(net.until(30_000) { owned($0, returns) > 4_000 })
    }

    @Test func nothingMovesWhenNobodyReachesAPNs() throws {
        var net = whole()
        let before = ["n1", "n2", "n3"].map { owned(net, $0) }
        for name in ["n1", "n2", "n3"] { lose(&net, name) }
        net.advance(20_000)
        #expect(["n1", "n2", "n3"].map { owned(net, $0) } == before)
        net.give("n1", .reach(.reached))
        #expect(net.until(30_000) { owned($0, "n1") == before.reduce(0, +) }, "the first who does gets everything")
    }
}
