import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import Testing
import Wire

extension EndToEnd {
    /// Whatever comes to the producers' port, an honest producer notices nothing.
    @Suite struct HostilePeerTests {
        private func publish(_ client: CarillonProducer, _ counter: Int) async throws {
            _ = try await client.publish(Event.update(Event.target(activity: "match/1"), counter))
        }

        private static let garbage: [[UInt8]] = [
            [], [0], [UInt8](repeating: 0xff, count: 300), Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
            RawConnection.greeting("CURVE"), Array(RawConnection.greeting("CURVE").prefix(30)),
            RawConnection.greeting("CURVE") + RawConnection.frameHeader(byteCount: 1 << 30),
            RawConnection.greeting("NULL") + RawConnection.ready,
            RawConnection.greeting("PLAIN") + [4, 200] + [UInt8](repeating: 7, count: 200),
            [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3],
        ]

        @Test(.timeLimit(.minutes(1))) func garbageAndHalfHandshakesDisturbNobody() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            try await publish(client, 1)
            var strangers: [RawConnection] = []
            for round in 0..<10 {
                for bytes in Self.garbage {
                    let stranger = try #require(RawConnection(trial.cluster.endpoint))
                    stranger.send(bytes)
                    strangers.append(stranger)
                }
                try await publish(client, 2 + round)
            }
            var random = SplitMix64(seed: 5)
            for _ in 0..<100 {
                let stranger = try #require(RawConnection(trial.cluster.endpoint))
                stranger.send((0..<Int(random.next() % 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            }
            try await publish(client, 50)
            #expect(
                try await eventually {
                    let ingest = try await trial.status(admin)["stages"]?["ingest"]
                    return ingest?["handshakes_failed"]?.integer ?? 0 > 20
                })
            strangers = []
            try await publish(client, 51)
            await client.close()
            #expect(client.statistics.sessions == 1)
            #expect(client.statistics.repeated == 0)
            #expect(trial.cluster.nodeEnding() == nil)
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func aFrameOfAGigabyteIsCutOffBehindAGoodHandshake() async throws {
            let trial = try Trial(insecure: true)
            defer { trial.end() }
            let client = try trial.client()
            try await publish(client, 1)
            let before = try residentBytes(trial)
            for _ in 0..<5 {
                let stranger = try #require(RawConnection(trial.cluster.endpoint))
                stranger.send(RawConnection.greeting("NULL") + RawConnection.ready)
                #expect(stranger.isAnswered())
                stranger.send(RawConnection.frameHeader(byteCount: 1 << 30) + [UInt8](repeating: 1, count: 1000))
                #expect(eventually { stranger.isClosed })
            }
            try await publish(client, 2)
            #expect(try residentBytes(trial) - before < 100 << 20, "the frames were never stored")
            await client.close()
            #expect(client.statistics.sessions == 1)
        }

        private func residentBytes(_ trial: Trial) throws -> Int {
            let process = try #require(trial.cluster.nodeProcess)
            let fields = TextFile.read("/proc/\(process)/statm").split(separator: " ")
            return (Int(fields.count > 1 ? fields[1] : "0") ?? 0) * 4096
        }
    }
}
