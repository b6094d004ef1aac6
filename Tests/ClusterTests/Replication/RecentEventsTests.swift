import Testing

@testable import Cluster

@Suite struct RecentEventsTests {
    private func filled(_ count: Int) -> RecentEvents {
        var recent = RecentEvents()
        for number in 0..<count {
            recent.append(id: Array("id\(number)".utf8), sequence: UInt64(number), instance: 1)
        }
        return recent
    }

    @Test func oldestIsForgottenAboveSixteen() {
        let recent = filled(17)
        #expect(recent.count == 16)
        #expect(recent.find(id: Array("id0".utf8)) == nil)
        #expect(recent.find(id: Array("id1".utf8))?.sequence == 1)
        #expect(recent.find(id: Array("id16".utf8))?.sequence == 16)
    }

    @Test func identifiersCompareWhole() {
        let recent = filled(11)
        #expect(recent.find(id: Array("id".utf8)) == nil)
        #expect(recent.find(id: Array("id1".utf8))?.sequence == 1)
        #expect(recent.find(id: Array("id10".utf8))?.sequence == 10)
    }

    @Test func outcomesAreKeptWithTheirReasons() {
        var recent = filled(3)
        recent.settle(1, .failed(reason: String(repeating: "x", count: 100)))
        #expect(recent.outcome(ofSequence: 1)?.reason.count == RecentEvents.reasonBytesMax)
        recent.settle(1, .apnsAccepted)
        #expect(recent.entries.map(\.outcome) == [.accepted, .apnsAccepted, .accepted])
        let isKnown = recent.settle(9, .unknown)
        #expect(!isKnown)
        #expect(RecentEvents(packed: recent.packed) == recent)
    }

    @Test func freshVersionKeepsTheEvent() {
        var recent = filled(3)
        recent.renumber(1, to: 70_000)
        #expect(recent.find(id: Array("id1".utf8))?.sequence == 70_000)
        #expect(recent.outcome(ofSequence: 1) == nil)
        #expect(recent.outcome(ofSequence: 70_000) == .accepted)
    }
}
