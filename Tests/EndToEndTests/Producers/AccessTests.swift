import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Messaging
import Testing
import Wire

extension EndToEnd {
    /// Who is let in changes while the node runs.
    @Suite struct AccessTests {
        private func refusal(_ client: CarillonProducer, _ counter: Int) async -> Code? {
            do throws(Refusal) {
                _ = try await client.publish(Event.update(Event.target(activity: "match/1"), counter))
                return nil
            } catch { return error.fault.code }
        }

        @Test(.timeLimit(.minutes(1))) func aRevokedKeyIsRefusedWhileItIsConnectedAndANewOneLetIn() async throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let path = trial.cluster.configuration
            try TextFile.write(
                TextFile.read(path) + "\n[producer.late]\napps = [\"cricket\"]\nprefixes = [\"match/\"]\n", to: path)
            try trial.cluster.startNode()
            let scores = try trial.client()
            #expect(await refusal(scores, 1) == nil)

            let keys = trial.cluster.directory + "/data/keys/producer"
            TextFile.remove(keys + "/scores.key")
            var counter = 1
            let isRefused = await eventually {
                counter += 1
                return await refusal(scores, counter) == .notAllowed
            }
            #expect(isRefused)
            let anew = try trial.client()
            #expect(await refusal(anew, 90) == .refusedConnection)

            let late = try Certificate.generate(name: "late", role: .producer)
            let client = try trial.client { $0.certificate = late }
            #expect(await refusal(client, 91) == .refusedConnection)
            try late.write(directory: keys)
            #expect(await eventually { await refusal(client, 100) == nil })
            #expect(client.ready?.producer == "late")
            await client.close()
            await anew.close(flushMilliseconds: 0)
            await scores.close(flushMilliseconds: 0)
        }

        @Test(.timeLimit(.minutes(1))) func withoutAuthenticationTheNodeWarns() async throws {
            let trial = try Trial(insecure: true)
            defer { trial.end() }
            let client = try trial.client()
            #expect(await refusal(client, 1) == nil)
            let warnings = trial.log.lines().filter { $0["level"]?.string == "warning" }
            #expect(warnings.contains { $0["message"]?.string?.contains("insecure") ?? false })
            await client.close()
        }
    }
}
