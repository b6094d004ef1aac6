import Codes
import Delivery
import LiveActivity
import Testing
import Wire

@testable import Cluster
@testable import Node

/// What the core answers, in the words of the producer protocol.
@Suite struct AnswerTests {
    private func pending(_ kind: PendingRequest.Kind) -> PendingRequest {
        PendingRequest(sequence: 42, kind: kind, takenAtNanoseconds: 0)
    }

    private let key = Key(app: "cricket", kind: .channel, name: "match/1")

    @Test func anAcknowledgementSaysVersionAndRepetition() {
        let ack = Acknowledgement(
            eventID: [1], version: Version(epoch: 3, sequence: 9), instance: 2, copies: 1, isRepeated: true,
            outcome: .accepted)
        let message = NodeMessage(.acknowledged(ack), to: pending(.publish))
        #expect(message == .ack(Ack(sequence: 42, instance: 2, epoch: 3, version: 9, copies: 1, repeated: true)))
    }

    @Test func aRefusalKeepsCodeDetailPlaceAndRetryTime() throws {
        let fault = Fault(.overloaded, "too many", at: "event")
        guard case .nack(let nack) = NodeMessage(.refused(fault, retryMilliseconds: 70), to: pending(.publish)) else {
            Issue.record("no nack")
            return
        }
        #expect(nack.known == .overloaded && nack.sequence == 42 && nack.retryMilliseconds == 70)
        #expect(nack.field == "event" && nack.text.contains("too many"))
    }

    @Test func outcomesHaveTheirWireNames() {
        let pairs: [(EventOutcome, Outcome)] = [
            (.accepted, .accepted), (.deferred, .deferred), (.apnsAccepted, .apnsAccepted),
            (.superseded, .superseded), (.expired, .expired), (.failed(reason: "x"), .failed), (.unknown, .unknown),
        ]
        for (own, wire) in pairs { #expect(Outcome(own) == wire) }
    }

    private func summary(_ name: String, _ state: ChannelState = .live) -> ChannelSummary {
        ChannelSummary(name: name, channelID: Array("id-\(name)".utf8), policy: .mostRecent, state: state)
    }

    @Test func channelsAreListedInPages() {
        let all = ["a", "b", "c", "d", "e"].map { summary($0) }
        func page(after: String, limit: Int) -> ([String], Bool) {
            let request = ChannelRequest(action: .list, app: "cricket", after: after, limit: limit)
            guard case .channel(let answer) = NodeMessage(.channels(all), to: pending(.channel(request))) else {
                return ([], false)
            }
            return (answer.channels.map(\.channel), answer.more)
        }
        #expect(page(after: "", limit: 2) == (["a", "b"], true))
        #expect(page(after: "b", limit: 2) == (["c", "d"], true))
        #expect(page(after: "d", limit: 2) == (["e"], false))
        #expect(page(after: "e", limit: 2) == ([], false))
        #expect(page(after: "bb", limit: 9) == (["c", "d", "e"], false), "a channel that is gone is no obstacle")
    }

    @Test func oneChannelIsShownOrUnknown() {
        let all = [summary("a"), summary("b", .failed)]
        let show = ChannelRequest(action: .show, app: "cricket", channel: "b")
        guard case .channel(let answer) = NodeMessage(.channels(all), to: pending(.channel(show))) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.channels.map(\.channelID) == ["id-b"] && answer.channels[0].state == .failed)
        let other = ChannelRequest(action: .show, app: "cricket", channel: "z")
        guard case .nack(let nack) = NodeMessage(.channels(all), to: pending(.channel(other))) else {
            Issue.record("no refusal")
            return
        }
        #expect(nack.known == .unknownChannel)
    }
}
