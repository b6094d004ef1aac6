import Telemetry
import Testing

@Suite struct LatencyHistogramTests {
    @Test func emptyHistogramSaysZero() {
        let histogram = LatencyHistogram()
        #expect(histogram.percentile(0.99) == 0)
        #expect(histogram.minimum == 0)
        #expect(histogram.mean == 0)
        #expect(histogram.count(upTo: .max) == 0)
    }

    @Test func smallValuesAreExact() {
        var histogram = LatencyHistogram()
        for value in 1...100 { histogram.record(Int64(value)) }
        #expect(histogram.percentile(0.5) == 50)
        #expect(histogram.percentile(0.99) == 99)
        #expect(histogram.percentile(0) == 1)
        #expect(histogram.percentile(1) == 100)
        #expect(histogram.count(upTo: 10) == 10)
        #expect(histogram.mean == 50.5)
    }

    @Test func errorStaysBelowTheBoundAtEveryMagnitude() {
        var value: Int64 = 1
        while value < .max / 3 {
            for offset in [Int64(-1), 0, 1] {
                var histogram = LatencyHistogram()
                let recorded = max(0, value + offset)
                histogram.record(recorded)
                histogram.record(.max)
                let found = histogram.percentile(0.5)
                #expect(found >= recorded)
                #expect(Double(found - recorded) <= Double(recorded) * 0.016)
            }
            value *= 2
        }
    }

    @Test func countsRecordedAgainGiveTheSameBuckets() {
        var random = SplitMix64(state: 9)
        var histogram = LatencyHistogram()
        for _ in 0..<500 { histogram.record(Int64(random.next() >> (20 + random.next() % 40))) }
        var again = LatencyHistogram()
        for (upTo, times) in histogram.counts { again.record(upTo, times: times) }
        #expect(again.count == 500)
        #expect(again.counts.elementsEqual(histogram.counts) { $0 == $1 })
        #expect(again.percentile(0.9) == histogram.percentile(0.9))
        #expect(LatencyHistogram().counts.isEmpty)
    }

    @Test func extremesDoNotTrap() {
        var histogram = LatencyHistogram()
        histogram.record(.max, times: 3)
        histogram.record(-5)
        histogram.record(1, times: 0)
        #expect(histogram.count == 4)
        #expect(histogram.maximum == .max)
        #expect(histogram.minimum == 0)
        #expect(histogram.sum == .max)
        #expect(histogram.percentile(1) == .max)
    }

    @Test func mergingIsTheSameAsRecordingTogether() {
        var random = SplitMix64(state: 7)
        var all = LatencyHistogram()
        var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
        for round in 0..<3000 {
            let value = Int64(random.next() >> UInt64(20 + round % 40))
            all.record(value)
            parts[round % 3].record(value)
        }
        var merged = LatencyHistogram()
        for part in parts { merged.merge(part) }
        #expect(merged == all)
    }
}

struct SplitMix64 {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
