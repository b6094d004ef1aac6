import Cluster
import Delivery
import Testing
import Wire

/// One channel per name: intents, lost answers, restarts, deletes.
@Suite struct ChannelTests {
    private let id = Array("CH1".utf8)

    private func create(_ driver: inout CoreDriver, _ name: String = "match", _ policy: StoragePolicy = .none)
        -> [NodeEffect]
    {
        let first = driver.manage(.create(origin: 1, app: 0, key: CoreDriver.channel(name), policy: policy))
        return first + driver.commit()
    }

    private func answer(_ driver: inout CoreDriver, _ intent: UInt64, _ answer: ChannelAnswer) -> [NodeEffect] {
        driver.manage(.answered(intent: intent, answer: answer)) + driver.commit()
    }

    private func summary(_ effects: [NodeEffect]) -> [String] {
        effects.replies.compactMap {
            if case .channel(let channel, let isNew) = $0 {
                "\(channel.name) \(String(decoding: channel.channelID ?? [], as: UTF8.self)) \(isNew)"
            } else {
                nil
            }
        }
    }

    @Test func intentIsDurableBeforeThePOSTAndTheAnswerBeforeTheCallerHears() {
        var driver = CoreDriver()
        driver.commit()
        #expect(
            driver.manage(.create(origin: 1, app: 0, key: CoreDriver.channel(), policy: .none)).operations.isEmpty)
        let asked = driver.commit().operations
        #expect(asked.map(\.operation) == [.create(.none)])
        #expect(driver.manage(.answered(intent: asked[0].intent, answer: .created(channelID: id))).replies.isEmpty)
        #expect(summary(driver.commit()) == ["match CH1 true"])
    }

    @Test func creatingIsIdempotentForTheCaller() {
        var driver = CoreDriver()
        let asked = create(&driver).operations
        #expect(create(&driver).isEmpty)
        #expect(
            summary(answer(&driver, asked[0].intent, .created(channelID: id))) == ["match CH1 true", "match CH1 true"])
        #expect(summary(create(&driver)) == ["match CH1 false"])
        #expect(create(&driver, "match", .mostRecent).refusals == ["bad-field"])
    }

    @Test func operationsOfAnAppFollowOneAnother() {
        var driver = CoreDriver()
        let first = create(&driver, "a").operations
        #expect(create(&driver, "b").operations.isEmpty)
        let next = answer(&driver, first[0].intent, .created(channelID: id)).operations
        #expect(next.map(\.operation) == [.create(.none)])
    }

    @Test func lostAnswerAdoptsTheOrphanWithTheRightPolicy() {
        var driver = CoreDriver()
        driver.makeChannel(CoreDriver.channel("known"), id: "KNOWN", policy: .none)
        let asked = create(&driver).operations
        let listing = answer(&driver, asked[0].intent, .lost).operations
        #expect(listing.map(\.operation) == [.list])
        let ids = ["ORPHAN2", "KNOWN", "ORPHAN1"].map { Array($0.utf8) }
        let first = answer(&driver, listing[0].intent, .listed(ids)).operations
        #expect(first.map(\.operation) == [.read(channelID: Array("ORPHAN1".utf8))])
        let second = answer(&driver, first[0].intent, .policy(.mostRecent)).operations
        #expect(second.map(\.operation) == [.read(channelID: Array("ORPHAN2".utf8))])
        let out = answer(&driver, second[0].intent, .policy(.none))
        #expect(summary(out) == ["match ORPHAN2 true"])
        #expect(out.notices == [.channelAdopted(app: 0)])
    }

    @Test func lostAnswerWithoutOrphanCreatesAgain() {
        var driver = CoreDriver()
        let asked = create(&driver).operations
        let listing = answer(&driver, asked[0].intent, .lost).operations
        let again = answer(&driver, listing[0].intent, .listed([])).operations
        #expect(again.map(\.operation) == [.create(.none)])
        #expect(summary(answer(&driver, again[0].intent, .created(channelID: id))) == ["match CH1 true"])
    }

    @Test func restartWithAPendingIntentLooksFirst() {
        var driver = CoreDriver()
        _ = create(&driver)
        driver.restart()
        #expect(driver.summary.channelsPending == 1)
        let listing = driver.effects.operations + driver.commit().operations
        #expect(listing.map(\.operation) == [.list])
        let read = answer(&driver, listing[0].intent, .listed([id])).operations
        _ = answer(&driver, read[0].intent, .policy(.none))
        #expect(driver.publishDurably(CoreDriver.event("a", CoreDriver.channel())).offers.count == 1)
        driver.restart()
        #expect(driver.summary.channels == 1 && driver.summary.channelsPending == 0)
    }

    @Test func unavailableIsToldAndTriedAgain() {
        var driver = CoreDriver()
        let asked = create(&driver).operations
        let out = answer(&driver, asked[0].intent, .unavailable(reason: "TooManyRequests"))
        #expect(out.refusals == ["channel-failed"])
        #expect(out.operations.isEmpty)
        #expect(driver.core.nextDeadline != nil)
        let again = driver.wait(milliseconds: 1_000).operations
        #expect(again.map(\.operation) == [.create(.none)])
        _ = answer(&driver, again[0].intent, .created(channelID: id))
        #expect(summary(create(&driver)) == ["match CH1 false"])
    }

    @Test func refusalForgetsTheIntent() {
        var driver = CoreDriver()
        let asked = create(&driver).operations
        #expect(answer(&driver, asked[0].intent, .refused(reason: "FeatureNotEnabled")).refusals == ["channel-failed"])
        #expect(driver.disk.keys.allSatisfy { $0.kind != StoredKind.channel.rawValue })
        #expect(create(&driver).operations.count == 1)
    }

    @Test(arguments: [.deleted, .refused(reason: "ChannelNotRegistered")] as [ChannelAnswer])
    func deletedAndNotFoundAreTheSame(deleted: ChannelAnswer) {
        var driver = CoreDriver()
        driver.makeChannel()
        driver.manage(.delete(origin: 2, app: 0, key: CoreDriver.channel()))
        #expect(driver.publish(CoreDriver.event("a", CoreDriver.channel())).refusals == ["unknown-channel"])
        let asked = driver.commit().operations
        #expect(asked.map(\.operation) == [.delete(channelID: id)])
        #expect(create(&driver, "match", .mostRecent).refusals == ["channel-failed"])
        #expect(answer(&driver, asked[0].intent, deleted).replies == [.channelDeleted(wasKnown: true)])
        driver.manage(.delete(origin: 2, app: 0, key: CoreDriver.channel()))
        #expect(driver.effects.replies == [.channelDeleted(wasKnown: false)])
        #expect(driver.disk.keys.allSatisfy { $0.kind != StoredKind.channel.rawValue })
    }

    @Test func deleteGoesOnAfterARestart() {
        var driver = CoreDriver()
        driver.makeChannel()
        driver.manage(.delete(origin: 2, app: 0, key: CoreDriver.channel()))
        driver.commit()
        driver.restart()
        let asked = driver.effects.operations + driver.commit().operations
        #expect(asked.map(\.operation) == [.delete(channelID: id)])
        let later = answer(&driver, asked[0].intent, .lost).operations + driver.wait(milliseconds: 1_000).operations
        #expect(later.map(\.operation) == [.delete(channelID: id)])
    }

    @Test func fullAppIsRefused() {
        var settings = CoreSettings(apps: ["shop"])
        settings.channelsPerAppMax = 1
        var driver = CoreDriver(settings: settings)
        driver.makeChannel(CoreDriver.channel("1"))
        #expect(create(&driver, "2").refusals == ["channel-failed"])
    }

    @Test func listIsSorted() {
        var driver = CoreDriver()
        for name in ["b", "c", "a"] { driver.makeChannel(CoreDriver.channel(name), id: "CH" + name) }
        guard case .channels(let all)? = driver.manage(.list(origin: 1, app: 0)).replies.first else {
            return #expect(Bool(false))
        }
        #expect(all.map(\.name) == ["a", "b", "c"])
        #expect(all.allSatisfy { $0.state == .live })
    }

    @Test func strangeAnswersAreIgnored() {
        var driver = CoreDriver()
        let asked = create(&driver).operations
        #expect(answer(&driver, 999, .created(channelID: id)).isEmpty)
        #expect(answer(&driver, asked[0].intent, .created(channelID: [])).operations.map(\.operation) == [.list])
        #expect(answer(&driver, asked[0].intent, .created(channelID: id)).isEmpty)
    }
}
