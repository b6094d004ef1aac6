import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// Tokens of every length and environment, events for two names, and batches.
    @Suite struct TokenKindTests {
        @Test(.timeLimit(.minutes(1))) func tokenOfTheOtherEnvironmentIsQuarantined() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let target = Event.target(activity: "match/1")
            let added = try trial.control.addDevices(2, app: Trial.bundle, .activityTokens(), schema: "Score")
            for text in added.tokens {
                try await client.register(Registration(target: target, token: try #require(PushToken(text))))
            }
            try trial.control.setFate(.otherEnvironment, ofToken: added.tokens[0])
            _ = try await client.publish(Event.update(target, 1))
            #expect(
                try await eventually {
                    try await trial.status(admin)["stages"]?["settle"]?["tokens_wrong_environment"]?.integer == 1
                })
            let report = try await client.activity(target)
            #expect(report.tokenCount == 1)
            #expect(report.tokens.map(\.quarantine).sorted() == ["", "wrong-environment"])
            let lines = trial.log.lines("token quarantined")
            #expect(lines.count == 1)
            #expect(lines.first?["reason"]?.string == "wrong-environment", "\(lines)")
            let log = TextFile.read(trial.cluster.nodeLog)
            #expect(added.tokens.allSatisfy { !log.contains($0) })
            let shown = try trial.run(["activity", "show", "match/1", "--app", Trial.app])
            #expect(shown.output.contains("quarantined") && !shown.output.contains(added.tokens[0]), "\(shown.errors)")

            trial.cluster.killNode()
            try trial.cluster.startNode()
            #expect(try await client.activity(target).tokens.map(\.quarantine).sorted() == ["", "wrong-environment"])
            try trial.control.setFate(.active, ofToken: added.tokens[0])
            try await client.register(Registration(target: target, token: try #require(PushToken(added.tokens[0]))))
            #expect(
                try eventually {
                    try trial.control.device(ofToken: added.tokens[0])["activities"]?[0]?["state"]?["counter"]?.integer
                        == 1
                })
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func expiredTokenIsRemovedAndOneOfAnotherLengthServed() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let target = Event.target(activity: "match/" + String(repeating: "x", count: 58))
            #expect(target.name.name.utf8.count == 64)
            let long = try trial.control.addDevices(
                1, app: Trial.bundle, .activityTokens(byteCount: 100), schema: "Score")
            let dead = try trial.control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score")
            for text in long.tokens + dead.tokens {
                try await client.register(Registration(target: target, token: try #require(PushToken(text))))
            }
            try trial.control.setFate(.expired, ofToken: dead.tokens[0])
            _ = try await client.publish(Event.update(target, 1))
            #expect(
                try eventually {
                    try trial.control.device(ofToken: long.tokens[0])["activities"]?[0]?["state"]?["counter"]?.integer
                        == 1
                })
            #expect(
                try await eventually {
                    try await trial.status(admin)["stages"]?["settle"]?["tokens_expired"]?.integer == 1
                })
            #expect(try await client.activity(target).tokenCount == 1)
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func oneEventReachesAChannelAndTokens() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let channel = try await trial.createChannel("match/9", admin)
            try trial.control.addDevices(1, app: Trial.bundle, .channel(channel), schema: "Score")
            let followers = try trial.control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score")
            let activity = Event.target(activity: "match/9")
            try await client.register(
                Registration(target: activity, token: try #require(PushToken(followers.tokens[0]))))
            var event = Event.update(Event.target(channel: "match/9"), 5)
            event.activity = activity
            event.receipts = true
            let ack = try await client.publish(event)
            #expect(ack.activity?.instance == 1 && ack.instance == 1)
            #expect(
                try eventually {
                    try trial.control.device(ofToken: followers.tokens[0])["activities"]?[0]?["state"]?["counter"]?
                        .integer == 5
                })
            for target in [activity, Event.target(channel: "match/9")] {
                #expect(
                    try await eventually {
                        try await client.status(target, id: Event.id("e5")).outcome == .apnsAccepted
                    })
            }
            let again = try await client.publish(event)
            #expect(again.repeated && again.activity?.repeated == true)
            await client.close()
            var kinds: Set<Key.Kind> = []
            for await batch in client.receipts { kinds.formUnion(batch.map(\.key.kind)) }
            #expect(kinds == [.channel, .activity])
            await admin.close()
        }

        private func token(_ number: Int) -> PushToken {
            guard let token = PushToken([UInt8](String(10_000 + number * 2).utf8) + [0x30]) else {
                preconditionFailure("an even number of digits")
            }
            return token
        }

        @Test(.timeLimit(.minutes(1))) func itemsOfABatchAreAnsweredEachByItself() throws {
            let trial = try Trial()
            defer { trial.end() }
            let raw = try RawProducer(trial)
            #expect(raw.open() != nil)
            let target = Event.target(activity: "match/1")
            var items: [ProducerMessage] = []
            for number in 1...40 {
                var publish = Event.update(target, number)
                publish.sequence = Int64(100 + number)
                items.append(.publish(publish))
            }
            items.append(.register(Registration(sequence: 200, target: target, token: try #require(PushToken("80c1")))))
            var bad = Event.update(Event.target(channel: "match/nowhere"), 1)
            bad.sequence = 300
            items.append(.publish(bad))
            raw.send(.batch(Batch(sequence: 9, items: items)))
            var answers: [Int64: NodeMessage] = [:]
            while answers.count < 42, let answer = raw.receive() {
                if let sequence = answer.sequence { answers[sequence] = answer }
            }
            for number in 1...40 {
                guard case .ack = answers[Int64(100 + number)] else { return #expect(Bool(false), "\(number)") }
            }
            guard case .registered(let registered) = answers[200], case .nack(let nack) = answers[300] else {
                return #expect(Bool(false))
            }
            #expect(registered.changed && nack.known == .unknownChannel)
            let many = (1...128).map { number in
                ProducerMessage.register(
                    Registration(
                        sequence: Int64(1000 + number), app: Trial.app, ordinaryToken: token(number),
                        user: "u\(number)",
                        device: "d"))
            }
            raw.send(.batch(Batch(sequence: 11, items: many)))
            for _ in many {
                guard case .registered = raw.receive() else { return #expect(Bool(false)) }
            }
            raw.send(frames: ProducerMessage.batch(Batch(sequence: 10, items: items)).frames().dropLast())
            guard case .nack(let whole) = raw.receive() else { return #expect(Bool(false)) }
            #expect(whole.sequence == 10 && whole.known == .malformed)
        }
    }
}
