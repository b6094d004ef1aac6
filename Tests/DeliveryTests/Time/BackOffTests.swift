import Testing

@testable import Delivery

@Suite struct BackOffTests {
    @Test func doublesUpToItsLimit() {
        let backOff = BackOff(baseMilliseconds: 100, maxMilliseconds: 1_000)
        var random = SplitMix64(seed: 1)
        for (failures, whole) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (64, 1_000), (0, 100), (-3, 100)]
            as [(Int, Int64)]
        {
            for _ in 0..<50 {
                let wait = backOff.delay(failures: failures, random: &random)
                #expect((whole / 2...whole).contains(wait), "\(failures)")
            }
        }
    }

    @Test func oddValuesAreMended() {
        var random = SplitMix64(seed: 1)
        #expect(BackOff(baseMilliseconds: 0, maxMilliseconds: -4).delay(failures: 9, random: &random) >= 0)
        let long = BackOff(baseMilliseconds: .max, maxMilliseconds: .max)
        #expect(long.delay(failures: .max, random: &random) >= .max / 2)
    }

    @Test func theSameSeedGivesTheSameWaits() {
        let backOff = BackOff(baseMilliseconds: 1_000, maxMilliseconds: 60_000)
        func waits(_ seed: UInt64) -> [Int64] {
            var random = SplitMix64(seed: seed)
            return (1...10).map { backOff.delay(failures: $0, random: &random) }
        }
        #expect(waits(5) == waits(5))
        #expect(waits(5) != waits(6))
    }
}
