import CarillonClient
import Codes
import LiveActivity
import Loops
import Messaging
import Testing
import Wire

@Suite struct ProducerTests {
    @Test func oneEventSentAtOnceIsAcknowledged() async throws {
        let node = try FakeNode(script: FakeNode.willing)
        let producer = try CarillonProducer(settings(node.endpoint))
        let ack = try await producer.publish(try event(1))
        #expect(ack.copies == 1 && ack.sequence == 1)
        #expect(producer.ready?.node == "n1")
        await producer.close()
        node.stop()
        let commands = node.log.messages
        guard case .hello(let hello) = commands.first, case .bye = commands.last else {
            Issue.record("no hello or bye in \(commands)")
            return
        }
        #expect(hello.client == "tests" && node.log.publishes.count == 1)
    }

    @Test func batchesComeBackWithTheirTags() async throws {
        let node = try FakeNode(script: FakeNode.willing)
        let results = Lock<[UInt64]>([])
        let producer = try CarillonProducer(settings(node.endpoint)) { batch in
            results.withLock { $0 += batch.compactMap { if case .success = $0.result { $0.tag } else { nil } } }
        }
        for start in stride(from: 0, to: 5000, by: 500) {
            let batch = try (start..<start + 500).map { (tag: UInt64($0), event: try event($0, name: "m\($0 % 50)")) }
            #expect(producer.submit(batch))
        }
        #expect(wait { results.withLock { $0.count } == 5000 })
        #expect(results.withLock { $0.sorted() } == (0..<5000).map { UInt64($0) })
        await producer.close()
        node.stop()
        #expect(producer.statistics.acknowledged == 5000 && producer.statistics.refused == 0)
    }

    @Test func refusalsCarryTheNodesWords() async throws {
        let node = try FakeNode { message in
            guard case .publish(let publish) = message else { return FakeNode.willing(message) }
            let finding = WireFinding(rule: "aps-missing", severity: .error, path: "", line: 1, column: 1)
            return [.nack(Nack(.lintFailed, sequence: publish.sequence, findings: [finding]))]
        }
        let producer = try CarillonProducer(settings(node.endpoint))
        let bad = try event(1)
        do throws(Refusal) {
            _ = try await producer.publish(bad)
            Issue.record("not refused")
        } catch {
            #expect(error.fault.code == .lintFailed && error.nack?.findings.first?.rule == "aps-missing")
            #expect(error.description.contains("CRL-P105 lint-failed"))
        }
        await producer.close()
        node.stop()
    }

    @Test func aRestartedNodeGetsWhatTheFirstDidNotAnswerUnderTheSameID() async throws {
        let deaf = try FakeNode { message in
            if case .publish = message { [] } else { FakeNode.willing(message) }
        }
        var patient = settings(deaf.endpoint)
        patient.resendMilliseconds = 60_000
        let acknowledged = Lock(0)
        let producer = try CarillonProducer(patient) { batch in
            acknowledged.withLock { $0 += batch.reduce(0) { if case .success = $1.result { $0 + 1 } else { $0 } } }
        }
        #expect(producer.submit([(tag: 1, event: try event(7))]))
        #expect(wait { deaf.log.publishes.count == 1 })
        deaf.stop()
        let node = try FakeNode(endpoint: deaf.endpoint, script: FakeNode.willing)
        #expect(wait { acknowledged.withLock { $0 } == 1 })
        #expect(node.log.publishes.map(\.id) == deaf.log.publishes.map(\.id))
        #expect(wait { producer.statistics.repeated == 1 && producer.statistics.sessions == 2 })
        await producer.close()
        node.stop()
    }

    @Test func theNextNodeIsTriedWhenOneIsGone() async throws {
        let node = try FakeNode(script: FakeNode.willing)
        let producer = try CarillonProducer(settings("tcp://127.0.0.1:1", node.endpoint))
        _ = try await producer.publish(try event(1))
        await producer.close()
        node.stop()
    }

    @Test func nobodyThereIsSaidInTime() async throws {
        var quick = settings("tcp://127.0.0.1:1")
        quick.answerMilliseconds = 300
        let producer = try CarillonProducer(quick)
        #expect(await code { () async throws(Refusal) in try await producer.ping() } == .noAnswer)
        await producer.close(flushMilliseconds: 0)
        #expect(await code { () async throws(Refusal) in try await producer.ping() } == .overloaded)
    }

    @Test func requestsAreAnswered() async throws {
        let state = try Self.state()
        let node = try FakeNode { message in
            switch message {
            case .get(let get):
                var state = state
                state.sequence = get.sequence
                return [.state(state)]
            case .status(let query):
                return [
                    .outcome(
                        sequence: query.sequence,
                        EventReport(key: query.target.key(newest: 1), id: query.id, outcome: .superseded))
                ]
            case .register(let request):
                return [.registered(Registered(sequence: request.sequence, instance: 1, tokens: 3, changed: true))]
            case .channel(let request): return [Self.page(request)]
            case .nodeStatus(let query): return [.nodeStatus(sequence: query.sequence, document: Array("{}".utf8))]
            default: return FakeNode.willing(message)
            }
        }
        let producer = try CarillonProducer(settings(node.endpoint))
        let target = try event(1).target
        #expect(try await producer.ping() == 1_716_739_260_500)
        #expect(try await producer.get(target).payload == Array("{}".utf8))
        #expect(try await producer.status(target, id: try event(1).id).outcome == .superseded)
        #expect(try await producer.channels(app: "cricket").map(\.channel) == ["a", "b", "c"])
        #expect(try await producer.nodeStatus() == Array("{}".utf8))
        let activity = try #require(Target(app: "a", kind: .activity, name: "b"))
        let token = try #require(PushToken("abcd"))
        #expect(try await producer.register(Registration(target: activity, token: token)).tokens == 3)
        let unregistered = await code { () async throws(Refusal) in
            try await producer.unregister(Registration(target: activity, token: token))
        }
        #expect(unregistered == .unknownKey)
        await producer.close()
        node.stop()
    }

    private static func state() throws -> RecordState {
        RecordState(
            sequence: 0, key: try event(1).target.key(newest: 2), id: try event(1).id, epoch: 1, version: 1,
            stampSeconds: 1, event: .update, important: false, revision: nil, storedAtMilliseconds: 1,
            outcome: .accepted, payload: Array("{}".utf8))
    }

    /// Two channels on the first page, one on the second.
    private static func page(_ request: ChannelRequest) -> NodeMessage {
        let names = request.after.isEmpty ? ["a", "b"] : ["c"]
        let channels = names.map {
            ChannelDescription(
                channel: $0, state: .active, channelID: "x", storage: .none, instance: 1, createdAtMilliseconds: 1)
        }
        return .channel(
            ChannelsAnswer(
                sequence: request.sequence, action: request.action, app: request.app, channels: channels,
                more: request.after.isEmpty))
    }

    @Test func receiptsArriveInBatchesAndAreBounded() async throws {
        let report = EventReport(key: try event(1).target.key(newest: 1), id: try event(1).id, outcome: .apnsAccepted)
        let node = try FakeNode { message in
            guard case .publish = message else { return FakeNode.willing(message) }
            return FakeNode.willing(message) + [.receipt(report)]
        }
        var few = settings(node.endpoint)
        few.receiptBatches = 2
        let producer = try CarillonProducer(few)
        for number in 0..<5 {
            _ = try await producer.publish(try event(number))
            #expect(wait { producer.statistics.receipts == UInt64(number + 1) })
        }
        #expect(wait { producer.statistics.receiptsDropped == 3 })
        await producer.close()
        var received: [EventReport] = []
        for await batch in producer.receipts { received += batch }
        #expect(received == [report, report])
        node.stop()
    }

    @Test func aFullQueueTakesNothing() throws {
        var small = settings("tcp://127.0.0.1:1")
        small.queueCapacity = 4
        let producer = try CarillonProducer(small)
        let batch = try (0..<5).map { (tag: UInt64($0), event: try event($0)) }
        #expect(!producer.submit(batch))
    }

    @Test func badSettingsAreFaults() throws {
        #expect(throws: Fault.self) { try CarillonProducer(settings()) }
        #expect(throws: Fault.self) { try CarillonProducer(settings("nonsense")) }
        let key = try Certificate.generate(name: "n", role: .node).publicKey
        let secure = ProducerSettings(nodes: [ProducerSettings.Node("tcp://127.0.0.1:1", serverKey: key)])
        #expect(throws: Fault.self) { try CarillonProducer(secure) }
    }
}
