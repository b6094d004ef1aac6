import Testing
import Wire

@testable import Node

@Suite struct MeshPeersTests {
    private func member(_ number: UInt64, _ name: String, port: Int = 1, generation: UInt64 = 1) -> Member {
        Member(
            id: NodeID(high: 0, low: number), incarnation: Incarnation(generation: generation), name: name,
            control: "tcp://127.0.0.1:\(port)", data: "tcp://127.0.0.1:\(port + 1)")
    }

    @Test func anAddressIsNewOnceAndSoIsANewRun() {
        var peers = MeshPeers(seeds: [:])
        #expect(peers.isNew(member(1, "n1")))
        let isRestart = peers.connected(member(1, "n1"))
        #expect(!isRestart && !peers.isNew(member(1, "n1")))
        #expect(peers.isNew(member(1, "n1", generation: 2)) && !peers.isNew(member(1, "n1", generation: 0)))
        #expect(peers.isNew(member(1, "n1", port: 5)) && peers.isNew(member(2, "n1")))
        peers.forget("n1")
        #expect(peers.isNew(member(1, "n1")) && peers.names.isEmpty)
    }

    @Test func aNewRunIsDialledAgainEvenWhenTheOldOneWasForgottenMeanwhile() {
        var peers = MeshPeers(seeds: [:])
        let runs: [UInt64] = [1, 2, 2, 1, 3]
        let restarts = runs.map { generation in
            peers.forget("n1")
            return peers.connected(member(1, "n1", generation: generation))
        }
        #expect(restarts == [false, true, false, false, true])
        peers.remove("n1")
        let isRestart = peers.connected(member(1, "n1", generation: 4))
        #expect(!isRestart)
    }

    @Test func complaintsComeOnceAMinuteForEach() {
        var peers = MeshPeers(seeds: [:])
        let times: [(String, Int64)] = [
            ("n1", 0), ("n1", 59_999), ("n2", 10), ("n1", 60_000), ("n2", 60_009), ("n2", 60_010),
        ]
        let told = times.map { name, now in peers.mayComplain(about: name, now: now) }
        #expect(told == [true, false, true, true, false, true])
        var strangers = 0
        for number in 0..<5000 where peers.mayComplain(about: "x\(number)", now: 0) { strangers += 1 }
        #expect(strangers == 5000, "bounded: old complaints are forgotten")
    }
}
