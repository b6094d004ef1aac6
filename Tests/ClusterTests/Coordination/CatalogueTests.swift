import Codes
import Delivery
import Testing
import Wire

@testable import Cluster

/// The catalogue by itself: a coordinator begins with the rows of the one before and ends with nothing.
@Suite struct CatalogueTests {
    private let key = CoreDriver.channel()
    private let settings = CoreSettings(apps: ["shop"])

    private func handle(_ catalogue: inout ChannelCatalogue, _ input: ChannelInput) -> [ChannelCatalogue.Effect] {
        var out: [ChannelCatalogue.Effect] = []
        catalogue.handle(input, now: 1_000, into: &out)
        return out
    }

    private func refusals(_ effects: [ChannelCatalogue.Effect]) -> [(origin: UInt64, retry: Int64?)] {
        effects.compactMap {
            if case .answer(let origin, .refused(_, let retry)) = $0 { (origin, retry) } else { nil }
        }
    }

    @Test func whoWaitsIsToldWhenLeadershipEnds() {
        var catalogue = ChannelCatalogue(settings: settings)
        _ = handle(&catalogue, .create(origin: 1, app: 0, key: key, policy: .none))
        _ = handle(&catalogue, .create(origin: 2, app: 0, key: key, policy: .none))
        var out: [ChannelCatalogue.Effect] = []
        catalogue.reset(into: &out)
        #expect(refusals(out).map(\.origin) == [1, 2] && refusals(out).allSatisfy { $0.retry != nil })
        #expect(catalogue.entries.isEmpty && catalogue.nextDeadline == nil)
        // APNs' answer to the old leader's request finds nothing.
        #expect(handle(&catalogue, .answered(intent: 1, answer: .created(channelID: [1]))).isEmpty)
        out = []
        catalogue.reset(into: &out)
        #expect(out.isEmpty)
    }

    @Test func nextLeaderTakesUpWhatWasIntended() {
        var catalogue = ChannelCatalogue(settings: settings)
        let first = handle(&catalogue, .create(origin: 1, app: 0, key: key, policy: .none))
        let rows = first.compactMap { effect -> [UInt8]? in
            if case .write(_, let value) = effect { value } else { nil }
        }
        var out: [ChannelCatalogue.Effect] = []
        catalogue.reset(into: &out)
        for row in rows { catalogue.restore(key, ChannelEntry(row: row, app: 0)!) }
        #expect(catalogue.finishRestore() == 1)
        out = []
        catalogue.advance(now: 2_000, into: &out)
        // The channel may exist: it looks first, under a number that was not used before.
        #expect(out == [.manage(intent: 2, app: 0, .list)])
    }

    @Test func inputThatMakesNoSenseIsRefused() {
        var catalogue = ChannelCatalogue(settings: settings)
        let activity = CoreDriver.activity()
        #expect(refusals(handle(&catalogue, .create(origin: 1, app: 0, key: activity, policy: .none))).count == 1)
        #expect(refusals(handle(&catalogue, .create(origin: 1, app: 9, key: key, policy: .none))).count == 1)
        #expect(handle(&catalogue, .lost(key)).isEmpty)
        #expect(
            handle(&catalogue, .delete(origin: 1, app: 0, key: key))
                == [.answer(origin: 1, .channelDeleted(wasKnown: false))])
    }
}
