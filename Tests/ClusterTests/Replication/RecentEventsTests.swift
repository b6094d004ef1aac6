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
        #expect(recent.reasons.isEmpty)
    }

    @Test func freshVersionKeepsTheEvent() {
        var recent = filled(3)
        recent.renumber(1, to: 70_000)
        #expect(recent.find(id: Array("id1".utf8))?.sequence == 70_000)
        #expect(recent.outcome(ofSequence: 1) == nil)
        #expect(recent.outcome(ofSequence: 70_000) == .accepted)
    }

    @Test func aReasonGoesWithItsEvent() {
        var recent = filled(16)
        recent.settle(0, .failed(reason: "BadTopic"))
        recent.settle(5, .failed(reason: "TooManyRequests"))
        recent.renumber(5, to: 90)
        #expect(recent.outcome(ofSequence: 90) == .failed(reason: "TooManyRequests"))
        recent.append(id: [1], sequence: 16, instance: 1)
        #expect(recent.reasons.map(\.sequence) == [90])
    }

    @Test func theStoredFormComesBackAndIsShort() {
        var recent = RecentEvents()
        for number: UInt64 in 1...40 {
            recent.append(
                id: Array("an-event-id-of-some-length-\(number)".utf8), sequence: 1 << 40 + number * 3,
                instance: number < 30 ? 1 : 2)
        }
        recent.settle(1 << 40 + 93, .failed(reason: "BadTopic"))
        recent.settle(1 << 40 + 96, .superseded)
        recent.renumber(1 << 40 + 99, to: 1 << 41)
        var row = RowWriter(capacity: 0)
        recent.write(to: &row)
        #expect(row.bytes.count < 13 + 16 * 20)
        var reader = RowReader(row.bytes)
        #expect(RecentEvents(&reader) == recent && reader.isAtEnd)
        var usual = RowWriter(capacity: 0)
        filled(16).write(to: &usual)
        #expect(usual.bytes.count <= RecentEvents.usualBytes)
    }

    @Test func scaledNumbersComeBackAndLongerOnesAreRefused() {
        for value: UInt64 in [0, 1, 127, 128, 16_383, 16_384, 1 << 62, .max] {
            var row = RowWriter(capacity: 10)
            row.scaled(value)
            var reader = RowReader(row.bytes)
            #expect(reader.scaled() == value && reader.isAtEnd)
        }
        for bytes in [[], [0x80], [UInt8](repeating: 0xff, count: 11), [UInt8](repeating: 0xff, count: 9) + [2]] {
            var reader = RowReader(bytes)
            #expect(reader.scaled() == nil)
        }
    }
}
