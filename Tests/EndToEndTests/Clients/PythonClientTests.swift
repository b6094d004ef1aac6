import APNsSimulator
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing

extension EndToEnd {
    /// Clients from PyPI: aioapns as an app's server would use it, python-h2 frame by frame.
    @Suite struct PythonClientTests {
        private func lines(_ output: String) -> [JSONValue] {
            output.split(separator: "\n").compactMap { line in
                let bytes = Array(line.utf8)
                return try? JSONValue(parsing: bytes.span)
            }
        }

        @Test(
            .timeLimit(.minutes(2)),
            .enabled(if: ClientProgram.isExpected(pythonModules: "aioapns"), "aioapns is not installed"))
        func aioapnsDelivers() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            let credentials = trial.trial.cluster.simulatorCredentials
            let result = try ClientProgram("python3").run(
                [
                    ClientProgram.fixtures + "/aioapns_client.py", "localhost", "\(trial.trial.cluster.sendPort)",
                    trial.authority, credentials.providerKeyPath, credentials.keyID, "SIMTEAM001", ClientTrial.topic,
                    "500", trial.deviceToken, String(repeating: "0", count: 64),
                ], directory: trial.directory)
            #expect(result.status == 0, "\(result.output)")
            let report = try #require(lines(result.output).last)
            #expect(report["accepted"]?.integer == 501)
            #expect(report["wrong_status"]?.string == "400")
            #expect(report["wrong_reason"]?.string == "BadDeviceToken")
            #expect(try trial.shows(500))
        }

        @Test(
            .timeLimit(.minutes(1)),
            .enabled(if: ClientProgram.isExpected(pythonModules: "h2"), "python-h2 is not installed"))
        func pythonH2SeesStreamsReasonsAndGoAway() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            try trial.trial.control.setFaults([.goAway(after: 3, reason: .shutdown)])
            let result = try ClientProgram("python3").run(
                [
                    ClientProgram.fixtures + "/h2_client.py", "localhost", "\(trial.trial.cluster.sendPort)",
                    trial.authority, trial.devicePath, "bearer " + trial.token, ClientTrial.topic,
                    ClientTrial.payload(8),
                ], directory: trial.directory)
            #expect(result.status == 0, "\(result.output)")
            let seen = lines(result.output)
            #expect(seen.compactMap { $0["streams"]?.integer } == [1, 1000, 1, 1000], "\(result.output)")
            #expect(seen.compactMap { $0["status"]?.string } == ["200", "403", "200"])
            #expect(
                seen.compactMap { $0["body"]?.string } == ["", "{\"reason\":\"InvalidProviderToken\"}", ""])
            #expect(seen.last?["goaway"]?.string == "{\"reason\":\"Shutdown\"}")
            #expect(seen.last?["last"]?.integer == 5)
            #expect(try trial.shows(8))
        }
    }
}
