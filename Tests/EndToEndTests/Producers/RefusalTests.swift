import APNsSimulator
import CarillonClient
import Codes
import LocalCluster
import Testing
import Wire

extension EndToEnd {
    /// Every refusal says what is wrong by its code.
    @Suite struct RefusalTests {
        private func refused(_ client: CarillonProducer, _ event: Publish) async -> Refusal? {
            do throws(Refusal) {
                _ = try await client.publish(event)
                return nil
            } catch { return error }
        }

        @Test(.timeLimit(.minutes(1))) func eventsAreRefusedWithTheRightCode() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            _ = try await trial.createChannel("match/1", admin)
            let target = Event.target(channel: "match/1")

            let app = try #require(Target(app: "rugby", kind: .channel, name: "match/1"))
            #expect(await refused(client, Event.update(app, 1))?.nack?.known == .unknownApp)
            let unknown = Event.target(channel: "match/none")
            #expect(await refused(client, Event.update(unknown, 1))?.nack?.known == .unknownChannel)
            let foreign = Event.target(channel: "other/1")
            #expect(await refused(client, Event.update(foreign, 1))?.nack?.known == .notAllowed)

            var event = Event.update(target, 1)
            event.payload = Array(#"{"aps":{"event":"update","sound":"x","content-state":"{}"}}"#.utf8)
            let lint = try #require(await refused(client, event)?.nack)
            #expect(lint.known == .lintFailed)
            #expect(lint.findings.contains { $0.rule == "content-state-type" && $0.path.contains("content-state") })
            #expect(lint.findings.contains { $0.rule == "sound-outside-alert" }, "all findings are told")

            event.payload = Event.payload(1, note: String(repeating: "x", count: 6000))
            #expect(await refused(client, event)?.nack?.known == .tooLarge)
            event.payload = Event.payload(1, note: String(repeating: "x", count: 4500))
            #expect(await refused(client, event) == nil, "a channel takes 5120 bytes")
            event = Event.update(Event.target(activity: "match/1"), 1)
            event.payload = Event.payload(1, note: String(repeating: "x", count: 4500))
            #expect(await refused(client, event)?.nack?.known == .tooLarge, "an activity takes 4096")

            event = Event.update(target, 2)
            event.expiresAtMilliseconds = 1
            #expect(await refused(client, event)?.nack?.known == .badField)
            #expect(throws: Never.self) { try trial.control.state() }
            let request = ChannelRequest(action: .create, app: Trial.app, channel: "other/1")
            await #expect(throws: Refusal.self) { try await client.channel(request) }
            await #expect(throws: Refusal.self, "only admins may") { try await client.nodeStatus() }
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func theProtocolIsHeldByHand() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let raw = try RawProducer(trial)
            raw.send(.ping(sequence: 7))
            #expect(raw.refusal() == .helloRequired)
            let ready = try #require(raw.open())
            #expect(ready.producer == "scores" && ready.role == "producer" && ready.credit > 0 && ready.node == "n1")

            var frames = ProducerMessage.ping(sequence: 8).frames()
            frames[0] = Array("CRL9".utf8)
            raw.send(frames: frames)
            guard case .nack(let version) = raw.receive() else {
                Issue.record("no refusal")
                return
            }
            #expect(version.known == .unsupportedVersion && version.versions == ProducerProtocol.versions)

            for garbage in [[[1, 2, 3]], [[], [], []], [Array("CRL1".utf8), Array("{".utf8)]] {
                raw.send(frames: garbage)
                #expect(raw.refusal() != nil)
            }
            raw.send(frames: [Array("CRL1".utf8), Array(#"{"command":"dance","seq":3}"#.utf8)])
            #expect(raw.refusal() == .unknownCommand)
            raw.send(frames: [Array("CRL1".utf8), Array(#"{"command":"get","seq":4}"#.utf8)])
            #expect(raw.refusal() == .badField)
            raw.send(.ping(sequence: 9))
            guard case .pong(sequence: 9, _) = raw.receive() else {
                Issue.record("the session is gone")
                return
            }
        }

        @Test(.timeLimit(.minutes(1))) func theLargestCreditIsStillUnderstood() async throws {
            let trial = try Trial(["CARILLON_LIMITS_CREDIT": "\(ProducerProtocol.creditMax)"])
            defer { trial.end() }
            let client = try trial.client()
            try await client.ping()
            #expect(client.ready?.credit == ProducerProtocol.creditMax)
            await client.close()
        }

        @Test(.timeLimit(.minutes(1))) func moreThanTheCreditIsOverload() async throws {
            let trial = try Trial(["CARILLON_LIMITS_CREDIT": "10"])
            defer { trial.end() }
            let raw = try RawProducer(trial)
            #expect(try #require(raw.open()).credit == 10)
            for number in 1...200 {
                var event = Event.update(Event.target(activity: "match/1"), number)
                event.sequence = Int64(number)
                raw.send(.publish(event))
            }
            var (acks, overloads) = (0, 0)
            for _ in 1...200 {
                switch raw.receive() {
                case .ack: acks += 1
                case .nack(let nack) where nack.known == .overloaded && nack.retryMilliseconds != nil: overloads += 1
                case let other: Issue.record("\(String(describing: other))")
                }
            }
            #expect(acks >= 10 && overloads > 0 && acks + overloads == 200)
        }
    }
}
