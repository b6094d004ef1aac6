import Codes
import LiveActivity
import Testing
import Wire

/// Batches: their framing, and what is wrong with a single item.
@Suite struct BatchTests {
    private func batch(_ count: Int) throws -> Batch {
        Batch(sequence: 9, items: try (0..<count).map { .publish(try Samples.both(Int64($0))) })
    }

    private func fault(_ frames: [[UInt8]]) -> Code? {
        if case .failure(let fault) = ProducerMessage.decode(frames) { fault.code } else { nil }
    }

    @Test func itemsComeInTheirOrderUpToTheBound() throws {
        let full = ProducerMessage.batch(try batch(ProducerProtocol.batchItemsMax))
        #expect(ProducerMessage.decode(full.frames()) == .success(full))
        #expect(fault(ProducerMessage.batch(try batch(ProducerProtocol.batchItemsMax + 1)).frames()) != nil)
        #expect(fault(ProducerMessage.batch(try batch(0)).frames()) == .badField)
    }

    @Test func framesMustBeAsManyAsTheItemsSay() throws {
        let frames = ProducerMessage.batch(try batch(2)).frames()
        for count in 1...2 { #expect(fault(Array(frames.dropLast(count))) == .malformed) }
        #expect(fault(frames + [[]]) == .malformed)
    }

    @Test func anItemThatCannotBeReadSpoilsNoOther() throws {
        var frames = ProducerMessage.batch(try batch(3)).frames()
        frames[4] = Array(#"{"command":"publish","seq":77,"app":"cricket","channel":"x"}"#.utf8)
        guard case .success(.batch(let read)) = ProducerMessage.decode(frames) else { return #expect(Bool(false)) }
        #expect(read.items.count == 3)
        guard case .failure(let fault) = read.items[1] else { return #expect(Bool(false)) }
        #expect(fault.sequence == 77 && fault.field == "id")
        #expect(try read.items[2].get().sequence == 2)
    }

    @Test func onlyPublishesAndRegistrationsAreItems() throws {
        let frames = ProducerMessage.batch(Batch(sequence: 9, items: [.ping(sequence: 1)])).frames()
        #expect(fault(frames) == .badField)
        let nested = ProducerMessage.batch(Batch(sequence: 9, items: [.batch(try batch(1))])).frames()
        #expect(fault(nested) == .badField)
    }

    @Test func otherCommandsHaveNoMoreThanThreeFrames() throws {
        let frames = ProducerMessage.ping(sequence: 1).frames() + [[], []]
        #expect(fault(frames) == .malformed)
    }

    @Test func twoNamesLeaveTheInstanceOut() throws {
        let header = #"{"command":"publish","seq":1,"app":"a","channel":"c","activity":"x","instance":2,"id":"i"}"#
        #expect(fault([ProducerProtocol.tag, Array(header.utf8), []]) == .badField)
    }

    @Test func tokensOfDevicesNeedADevice() throws {
        for kind in ["start", "ordinary"] {
            let header = #"{"command":"register","seq":1,"app":"a","kind":"\#(kind)","token":"00"}"#
            #expect(fault([ProducerProtocol.tag, Array(header.utf8)]) == .badField)
        }
        let typeless = #"{"command":"register","seq":1,"app":"a","kind":"start","token":"00","device":"d"}"#
        #expect(fault([ProducerProtocol.tag, Array(typeless.utf8)]) == .badField)
    }

    @Test func namesOfActivitiesHaveAtLeast64Bytes() throws {
        let name = String(repeating: "é", count: 32)
        let target = try #require(Target(app: "a", kind: .activity, name: name))
        let message = ProducerMessage.get(Get(sequence: 1, target: target))
        #expect(ProducerMessage.decode(message.frames()) == .success(message))
    }
}
