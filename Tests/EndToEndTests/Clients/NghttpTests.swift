import APNsSimulator
import LiveActivity
import Testing

extension EndToEnd {
    /// nghttp shows frames, h2load presses hard.
    @Suite struct NghttpTests {
        @Test(.timeLimit(.minutes(1)), .enabled(if: ClientProgram.isExpected("nghttp"), "nghttp is not installed"))
        func nghttpSeesEveryFrame() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            let body = trial.directory + "/body.json"
            try TextFile.write(ClientTrial.payload(5), to: body)
            let result = try ClientProgram("nghttp").run(
                ["--verbose", "--null-out", "--data", body] + trial.fields() + [trial.sendPlace + trial.devicePath],
                environment: ["SSL_CERT_FILE=\(trial.authority)"], directory: trial.directory)
            #expect(result.status == 0)
            let output = result.output
            #expect(output.contains("[SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1]"), "\(output)")
            #expect(output.contains(":status: 200") && output.contains("apns-id: "))
            #expect(try trial.shows(5))
        }

        @Test(.timeLimit(.minutes(1)), .enabled(if: ClientProgram.isExpected("h2load"), "h2load is not installed"))
        func h2loadIsAnsweredToTheLastRequest() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            try trial.trial.control.setRules([.count(.streamsAtFirst, 1000)])
            let body = trial.directory + "/body.json"
            try TextFile.write(ClientTrial.payload(6), to: body)
            let result = try ClientProgram("h2load").run(
                ["-n", "3000", "-c", "3", "-m", "50", "-d", body] + trial.fields()
                    + [trial.sendPlace + trial.devicePath], directory: trial.directory)
            #expect(result.status == 0)
            #expect(result.output.contains("3000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(result.output)")
            #expect(result.output.contains("status codes: 3000 2xx"))
            #expect(try trial.trial.control.state().counter("accepted") == 3000)
            #expect(try trial.shows(6))
        }
    }
}
