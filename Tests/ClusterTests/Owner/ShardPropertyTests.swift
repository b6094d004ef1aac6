import Delivery
import Testing
import Wire

@testable import Cluster

/// Shards that come and go in any order, with everything else going on: nothing is said or written for a shard that is
/// not here, and nothing stays behind.
@Suite struct ShardPropertyTests {
    private let keys = (0..<8).map { CoreDriver.activity("k\($0)") }

    private struct Run {
        var driver = OwnerDriver()
        var dice: Dice
        var epochs: [UInt16: UInt64] = [:]
        /// What was acknowledged last of each name.
        var acknowledged: [Key: UInt64] = [:]
        var origins: [UInt64: Key] = [:]
        var offers: [(item: PushItem, destinations: [Destination])] = []
        var answered: Set<UInt64> = []
        var number = 0

        mutating func note(_ effects: [CoreEffect]) {
            for effect in effects {
                switch effect {
                case .write(let writes, _):
                    #expect(writes.allSatisfy { driver.core.owns($0.shard) })
                case .reply(let origin, let reply):
                    #expect(answered.insert(origin).inserted, "answered twice")
                    guard case .acknowledged(let answer) = reply, let key = origins[origin] else { continue }
                    acknowledged[key] = max(acknowledged[key] ?? 0, answer.version.sequence)
                case .offer(let item, let destinations): offers.append((item, destinations))
                default: break
                }
            }
        }

        mutating func publish(_ key: Key) {
            number += 1
            var event = CoreDriver.event("\(number)", key)
            event.origin = driver.origin()
            origins[event.origin] = key
            note(driver.send(.publish(event)))
        }

        mutating func register(_ key: Key) {
            note(driver.register("t\(dice.below(12))", key))
        }

        mutating func adopt(_ shard: UInt16) {
            epochs[shard, default: 0] += 1
            note(driver.adopt([shard], epoch: epochs[shard]!, isReassertion: dice.chance(percent: 50)))
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>) func anyOrder(seed: UInt64) {
        var run = Run(dice: Dice(seed: seed))
        let shards = keys.map { run.driver.shard($0) }
        for _ in 0..<1_500 { step(&run, shards) }
        run.note(run.driver.commitAll())
        for shard in shards where run.driver.core.owns(shard) { run.note(run.driver.relinquish([shard])) }
        #expect(run.driver.core.heldBackCount == 0)
        #expect(run.driver.core.keyCount == 0 && run.driver.core.tokenCount == 0)
        #expect(run.driver.core.owners.isEmpty && run.driver.core.newcomers.isEmpty)
        #expect(run.driver.core.waitingCount == 0 && run.driver.core.catchUps.isEmpty)
        #expect(run.origins.keys.allSatisfy { run.answered.contains($0) })
        // Everything that was acknowledged is in the rows.
        for shard in shards { run.adopt(shard) }
        for key in keys {
            let slot = run.driver.core.index[key]
            let sequence = slot.map { run.driver.core.slots[$0].lastSequence } ?? 0
            #expect(sequence >= run.acknowledged[key] ?? 0)
        }
    }

    private func step(_ run: inout Run, _ shards: [UInt16]) {
        let place = Int(run.dice.below(Int64(keys.count)))
        switch run.dice.below(100) {
        case 0..<35: run.publish(keys[place])
        case 35..<45: run.register(keys[place])
        case 45..<65: run.note(run.driver.commit(shards[place]))
        case 65..<72: run.note(run.driver.relinquish([shards[place]]))
        case 72..<80: run.adopt(shards[place])
        case 80..<90:
            guard !run.offers.isEmpty else { return }
            let offer = run.offers.remove(at: Int(run.dice.below(Int64(run.offers.count))))
            let outcomes: [LaneReport.Outcome] = [
                .accepted, .unknown, .stale, .deferred(reason: "busy"), .superseded,
                .failed(status: 400, reason: "BadTopic"),
                .gone(status: 410, reason: "Unregistered", sinceMilliseconds: nil),
            ]
            run.note(run.driver.report(offer, outcomes[Int(run.dice.below(Int64(outcomes.count)))]))
        case 90..<93: run.driver.core.maySend.toggle()
        default: run.note(run.driver.wait(milliseconds: run.dice.between(1, 3_000)))
        }
    }
}
