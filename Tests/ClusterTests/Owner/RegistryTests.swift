import Cluster
import Delivery
import Testing
import Wire

/// Tokens of devices: one owner, read everywhere; and what else belongs to no single name.
@Suite struct RegistryTests {
    private let key = CoreDriver.activity()

    private func input(_ device: String, _ token: String) -> DeviceTokenInput {
        DeviceTokenInput(
            origin: 1, name: CoreDriver.name(device), destination: CoreDriver.startToken(token),
            attributesType: CoreDriver.type)
    }

    private func changes(_ effects: [CoreEffect]) -> [(kind: UInt8, key: [UInt8], value: [UInt8]?)] {
        effects.writes.filter { $0.shard == Shard.registry }.map { ($0.kind, $0.key, $0.value) }
    }

    @Test func onlyItsOwnerTakesTokensAndOthersReadThem() {
        var owner = OwnerDriver()
        owner.adopt([Shard.registry])
        var reader = OwnerDriver()
        reader.adopt([reader.shard(key)])
        #expect(reader.send(.registerDevice(input("phone", "s1"))).refusals == ["shard-moves"])
        #expect(reader.send(.unregisterDevice(input("phone", "s1"))).refusals == ["shard-moves"])

        let first = owner.send(.registerDevice(input("phone", "s1")))
        #expect(first.writes.allSatisfy { $0.shard == Shard.registry } && first.replies.isEmpty)
        #expect(owner.commitAll().replies.count == 1)
        var out: [CoreEffect] = []
        reader.core.observe(registry: changes(first), into: &out)
        #expect(reader.core.deviceTokenCount == 1)
        reader.publish(CoreDriver.start("s"))
        #expect(reader.commitAll().offers.map(\.destinations) == [[CoreDriver.startToken("s1")]])

        // Another token of the device, then the token on another device, whichever row comes first.
        reader.core.observe(registry: changes(owner.send(.registerDevice(input("phone", "s2")))), into: &out)
        #expect(reader.core.deviceTokenCount == 1)
        let moved = changes(owner.send(.registerDevice(input("pad", "s2"))))
        reader.core.observe(registry: moved.reversed(), into: &out)
        #expect(reader.core.deviceTokenCount == 1)
        reader.core.observe(registry: changes(owner.send(.unregisterDevice(input("pad", "s2")))), into: &out)
        #expect(reader.core.deviceTokenCount == 0 && out.isEmpty)
        // What cannot be read is left out and said.
        reader.core.observe(registry: [(9, [1], [1]), (1, [1], [1])], into: &out)
        #expect(out.count == 2)
    }

    @Test func wholeRegistryReplacesWhatWasKnown() {
        var owner = OwnerDriver()
        owner.adopt([Shard.registry])
        owner.send(.registerDevice(input("phone", "s1")))
        owner.commitAll()
        let rows = owner.rows(of: Shard.registry).map { (kind: $0.kind, key: $0.key, value: Optional($0.value)) }
        owner.send(.registerDevice(input("pad", "s2")))
        var reader = OwnerDriver()
        var out: [CoreEffect] = []
        reader.core.observe(registry: changes([.write(owner.uncommitted.flatMap(\.writes), batch: 1)]), into: &out)
        #expect(reader.core.deviceTokenCount == 1)
        reader.core.observe(registry: rows, isWhole: true, into: &out)
        #expect(reader.core.deviceTokenCount == 1 && out.isEmpty)
        // Who becomes its owner goes by the rows alone.
        reader.tables[Shard.registry] = owner.tables[Shard.registry]
        reader.adopt([Shard.registry], epoch: 2)
        #expect(reader.core.deviceTokenCount == 1)
        // Its owner hears of nobody else's.
        reader.core.observe(registry: [], isWhole: true, into: &out)
        #expect(reader.core.deviceTokenCount == 1)
        // Who was its owner goes on reading.
        reader.relinquish([Shard.registry])
        #expect(reader.core.deviceTokenCount == 1)
    }

    @Test(arguments: [(UInt16(410), "Unregistered"), (400, "BadDeviceToken")])
    func refusedTokenIsSparedHereAndToldToTheOwner(status: UInt16, reason: String) {
        var owner = OwnerDriver()
        owner.adopt([Shard.registry])
        var out: [CoreEffect] = []
        var reader = OwnerDriver()
        reader.adopt([reader.shard(key)])
        reader.core.observe(registry: changes(owner.send(.registerDevice(input("phone", "s1")))), into: &out)
        reader.publish(CoreDriver.start("s"))
        let offer = reader.commitAll().offers[0]
        let told = reader.report(offer, .gone(status: status, reason: reason, sinceMilliseconds: nil))
        let fault: TokenFault? = status == 400 ? .wrongEnvironment : nil
        #expect(told.contains(.deviceTokenRefused(CoreDriver.startToken("s1"), fault)))
        #expect(told.writes.allSatisfy { $0.shard != Shard.registry })
        #expect(reader.core.deviceTokenCount == (status == 400 ? 1 : 0))
        let rows = owner.send(.deviceTokenRefused(CoreDriver.startToken("s1"), fault)).writes
        #expect(rows.map(\.shard) == [Shard.registry] && (rows[0].value == nil) == (fault == nil))
        #expect(owner.send(.deviceTokenRefused(CoreDriver.startToken("s9"), fault)).isEmpty)
    }

    @Test func hourlyStartsGoWithTheShardOfTheActivity() {
        var settings = CoreSettings(apps: ["shop"])
        settings.startsPerDeviceHourMax = 2
        var driver = OwnerDriver(settings: settings)
        let keys = ["x", "y", "z"].map { CoreDriver.activity($0) }
        driver.adopt(keys.map { driver.shard($0) } + [Shard.registry])
        driver.send(.registerDevice(input("phone", "s1")))
        driver.commitAll()
        for key in keys[..<2] {
            driver.publish(CoreDriver.start("s", key: key))
            #expect(driver.commitAll().offers.count == 1)
        }
        driver.relinquish([driver.shard(keys[1])])
        driver.publish(CoreDriver.start("s", key: keys[2]))
        #expect(driver.commitAll().offers.count == 1)
        driver.adopt([driver.shard(keys[1])], epoch: 2)
        let last = CoreDriver.activity("w")
        driver.adopt([driver.shard(last)])
        driver.publish(CoreDriver.start("s", key: last))
        #expect(driver.commitAll().offers.isEmpty && driver.core.counters.startsLimited == 1)
        // Each shard's row holds its own; after the hour all go.
        let rows = driver.tables.mapValues { $0.keys.count { $0.kind == StoredKind.startTimes.rawValue } }
        #expect(keys.allSatisfy { rows[driver.shard($0)] == 1 } && rows[driver.shard(last)] == 0)
        driver.wait(milliseconds: 3_600_001)
        driver.commitAll()
        #expect(driver.tables.values.allSatisfy { $0.keys.allSatisfy { $0.kind != StoredKind.startTimes.rawValue } })
    }

    @Test(arguments: [false, true]) func tokenInTwoShardsFollowsTheLaterRegistration(isReversed: Bool) {
        let (one, two) = (CoreDriver.activity("one"), CoreDriver.activity("two"))
        var first = OwnerDriver()
        first.adopt([first.shard(one)])
        first.register("t", one)
        first.commitAll()
        var second = OwnerDriver()
        second.now = second.now.advanced(byMilliseconds: 5)
        second.adopt([second.shard(two)])
        second.register("t", two)
        second.commitAll()
        var driver = OwnerDriver()
        driver.tables = first.tables.merging(second.tables) { $1 }
        let shards = [driver.shard(one), driver.shard(two)]
        driver.adopt([shards[isReversed ? 1 : 0]])
        driver.adopt([shards[isReversed ? 0 : 1]])
        driver.commitAll()
        #expect(driver.core.tokenCount == 1)
        let rows = shards.map { driver.tables[$0]?.keys.count { $0.kind == StoredKind.token.rawValue } }
        #expect(rows == [0, 1])
    }
}
