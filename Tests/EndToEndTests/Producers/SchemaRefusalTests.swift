import CarillonClient
import Codes
import LocalCluster
import Testing
import Wire

extension EndToEnd {
    /// A node that knows the app's types refuses what a phone could not decode.
    @Suite struct SchemaRefusalTests {
        private func refused(_ client: CarillonProducer, _ event: Publish) async -> Refusal? {
            do throws(Refusal) {
                _ = try await client.publish(event)
                return nil
            } catch { return error }
        }

        private func event(_ name: String, _ number: Int, _ state: String) -> Publish {
            var event = Event.update(Event.target(activity: name), number)
            event.payload = Array(#"{"aps":{"event":"update","content-state":\#(state)}}"#.utf8)
            return event
        }

        @Test(.timeLimit(.minutes(1))) func whatAPhoneCannotDecodeIsRefused() async throws {
            let trial = try Trial([
                "CARILLON_APP_CRICKET_SCHEMA_FILE": LintCommandTests.folder + "/schemas.json",
                "CARILLON_APP_CRICKET_ATTRIBUTES_TYPES": "match/task=TaskAttributes,match/=AuctionAttributes",
            ])
            defer { trial.end() }
            let client = try trial.client()
            #expect(await refused(client, event("match/task/1", 1, #"{"percent":7}"#)) == nil)
            let nack = try #require(await refused(client, event("match/task/1", 2, #"{"Percent":7}"#))?.nack)
            #expect(nack.known == .lintFailed && nack.findings.map(\.rule) == ["schema-missing-key"])
            #expect(nack.findings.first?.path == "aps.content-state.percent")
            #expect(nack.findings.first?.line == 1 && nack.findings.first?.column == 43)
            #expect(nack.findings.first?.text.contains("found Percent") == true)
            let other = try #require(await refused(client, event("match/1", 3, #"{"percent":7}"#))?.nack)
            #expect(other.findings.count == 4, "the type of the other prefix")
            await client.close()
        }

        @Test(.timeLimit(.minutes(1))) func aSchemaThatCannotBeReadStopsTheStart() throws {
            let trial = try Trial(
                ["CARILLON_APP_CRICKET_SCHEMA_FILE": LintCommandTests.folder + "/manifest.json"], startsNode: false)
            defer { trial.end() }
            let variable = "CARILLON_APP_CRICKET_SCHEMA_FILE=\(LintCommandTests.folder)/manifest.json"
            let check = try trial.run(["config", "check"], environment: [variable])
            #expect(check.status == .config && check.errors.contains("schema-unreadable"), "\(check.errors)")
        }
    }
}
