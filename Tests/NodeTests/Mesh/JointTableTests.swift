import Codes
import Testing
import Wire

@testable import Node

@Suite struct JointTableTests {
    private let whole = PendingRequest(sequence: 9, kind: .publish, takenAtNanoseconds: 0, caller: .session(4))
    private let first = NodeMessage.ack(Ack(sequence: 9, instance: 1, epoch: 2, version: 3, copies: 2))
    private let second = NodeMessage.ack(
        Ack(sequence: 9, instance: 5, epoch: 6, version: 7, copies: 1, repeated: true))

    @Test(arguments: [true, false]) func bothAcksMakeOne(channelFirst: Bool) throws {
        var table = JointTable()
        let joint = table.add(whole)
        #expect(table.caller(of: joint) == .session(4))
        let order: [(Caller.Half, NodeMessage)] =
            channelFirst ? [(.channel, first), (.activity, second)] : [(.activity, second), (.channel, first)]
        let early = table.answer(joint, order[0].0, order[0].1)
        #expect(early == nil)
        let answered = table.answer(joint, order[1].0, order[1].1)
        let found = try #require(answered)
        guard case .ack(let ack) = found.answer else {
            Issue.record("no ack")
            return
        }
        #expect(found.request.sequence == 9 && ack.instance == 1 && ack.version == 3 && ack.copies == 1)
        #expect(ack.activity == Ack.Half(instance: 5, epoch: 6, version: 7, repeated: true))
        let again = table.answer(joint, .channel, first)
        #expect(table.caller(of: joint) == nil && again == nil)
    }

    @Test func oneRefusalRefusesTheWhole() throws {
        let moves = NodeMessage.nack(Nack(.shardMoves, sequence: 9, retryMilliseconds: 300))
        let ended = NodeMessage.nack(Nack(.ended, sequence: 9))
        for (channel, activity, slug, half) in [
            (moves, second, "shard-moves", "channel"), (first, ended, "ended", "activity"),
            (moves, ended, "ended", "activity"), (ended, moves, "ended", "channel"),
        ] {
            var table = JointTable()
            let joint = table.add(whole)
            _ = table.answer(joint, .channel, channel)
            let found = table.answer(joint, .activity, activity)
            guard case .nack(let nack)? = found?.answer else {
                Issue.record("no refusal")
                continue
            }
            #expect(nack.slug == slug && nack.field == half)
        }
    }
}
