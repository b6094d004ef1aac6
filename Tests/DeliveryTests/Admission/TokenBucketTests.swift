import Testing

@testable import Delivery

@Suite struct TokenBucketTests {
    @Test func givesItsBurstAndThenExactlyItsRate() {
        // 1.5 tokens per second, looked at every 7 ms for 1000 s: 3 + 1500 tokens, neither more nor less.
        var bucket = TokenBucket(Budget(capacity: 3, refillMillitokensPerSecond: 1_500), bootMilliseconds: 0)
        var taken = 0
        for time in stride(from: Int64(0), through: 1_000_000, by: 7) {
            bucket.refill(bootMilliseconds: time)
            while bucket.holds(1) {
                bucket.take(1)
                taken += 1
            }
        }
        #expect(taken == 3 + 1_499)
        bucket.refill(bootMilliseconds: 1_000_000)
        #expect(bucket.holds(1))
    }

    @Test func waitsAreExact() {
        var bucket = TokenBucket(Budget(capacity: 1, refillMillitokensPerSecond: 3), bootMilliseconds: 50)
        bucket.take(1)
        #expect(bucket.wait(1) == 333_334)
        bucket.refill(bootMilliseconds: 50 + 333_333)
        #expect(!bucket.holds(1) && bucket.wait(1) == 1)
        bucket.refill(bootMilliseconds: 50 + 333_334)
        #expect(bucket.holds(1) && bucket.wait(1) == 0)
    }

    @Test func timeGoingBackwardsGivesNothingTwice() {
        var bucket = TokenBucket(Budget(capacity: 10, refillPerSecond: 1), bootMilliseconds: 100_000)
        bucket.take(10)
        bucket.refill(bootMilliseconds: 102_000)
        bucket.refill(bootMilliseconds: 101_000)
        #expect(bucket.tokens == 2)
        bucket.refill(bootMilliseconds: 102_000)
        #expect(bucket.tokens == 2)
    }

    @Test func aLargeCostIsADebt() {
        var bucket = TokenBucket(Budget(capacity: 10, refillPerSecond: 1), bootMilliseconds: 0)
        #expect(bucket.holds(1_000))
        bucket.take(1_000)
        #expect(bucket.tokens == -990 && !bucket.holds(1))
        #expect(bucket.wait(1) == 991_000)
        bucket.refill(bootMilliseconds: 991_000)
        #expect(bucket.holds(1))
    }

    @Test func extremesDoNotOverflow() {
        for start in [Int64.min, 0, Int64.max] {
            var bucket = TokenBucket(
                Budget(capacity: .max, refillMillitokensPerSecond: .max), bootMilliseconds: start)
            bucket.take(.max)
            bucket.take(.max)
            bucket.take(-5)
            for time in [Int64.max, .min, 0, .max] { bucket.refill(bootMilliseconds: time) }
            #expect(bucket.wait(.max) >= 0)
        }
        var slow = TokenBucket(Budget(capacity: 0, refillMillitokensPerSecond: -1), bootMilliseconds: .min)
        slow.take(1)
        slow.refill(bootMilliseconds: .max)
        #expect(slow.tokens == 1)
    }

    @Test func theReserveHasItsShareAndNothingIsLost() {
        let budget = Budget(capacity: 100, refillPerSecond: 100)
        var bucket = ReservedBucket(budget, reservePermille: 200, at: 0)
        #expect(bucket.shared.tokens == 80 && bucket.reserve.tokens == 20)
        bucket.takeShared(80)
        bucket.takeReserve(20)
        // While both are short, 20 of 100 come to the reserve.
        bucket.refill(bootMilliseconds: 500)
        #expect(bucket.shared.tokens == 40 && bucket.reserve.tokens == 10)
        bucket.takeShared(40)
        // The reserve fills up half a second later; from then on all comes to the shared part.
        bucket.refill(bootMilliseconds: 1_000)
        bucket.takeShared(40)
        #expect(bucket.reserve.tokens == 20 && bucket.shared.tokens == 0)
        bucket.refill(bootMilliseconds: 1_500)
        #expect(bucket.shared.tokens == 50)
        #expect(!bucket.isFull && bucket.fullAt == 1_800)
        bucket.refill(bootMilliseconds: 9_000)
        #expect(bucket.isFull)
    }

    /// Whatever is taken in whatever steps, the sum never exceeds burst and rate, and `availableAt` is never too late.
    @Test(arguments: 0..<10) func reservedBucketProperty(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let budget = Budget(
            capacity: 1 + Int(random.below(50)), refillMillitokensPerSecond: 1 + Int(random.below(90_000)))
        var bucket = ReservedBucket(budget, reservePermille: Int(random.below(1000)), at: 0)
        var time: Int64 = 0
        var taken: Int64 = 0
        for _ in 0..<3_000 {
            time += random.below(300)
            bucket.refill(bootMilliseconds: time)
            let urgent = random.once(in: 2)
            if bucket.holds(1, urgent: urgent) {
                bucket.take(1)
                taken += 1
            } else {
                var later = bucket
                let at = bucket.availableAt(1, urgent: urgent)
                #expect(at > time)
                later.refill(bootMilliseconds: at)
                #expect(later.holds(1, urgent: urgent), "seed \(seed)")
            }
            let most = Int64(budget.capacity) * 1_000_000 + time * Int64(budget.refillMillitokensPerSecond)
            // A reserve smaller than one token may owe the rest of it.
            #expect(taken * 1_000_000 <= most + 1_000_000, "seed \(seed)")
        }
    }
}
