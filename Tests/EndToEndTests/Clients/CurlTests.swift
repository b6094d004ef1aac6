import APNsSimulator
import LiveActivity
import SimulatedAPNs
import Testing

extension EndToEnd {
    /// curl, as a developer tries things out.
    @Suite(.enabled(if: ClientProgram.isExpected("curl"), "curl is not installed"))
    struct CurlTests {
        private func curl(_ trial: ClientTrial, _ arguments: [String]) throws -> String {
            let usual = [
                "--http2", "--silent", "--show-error", "--cacert", trial.authority, "--max-time", "20",
                "--write-out", " http/%{http_version} %{http_code}",
            ]
            let result = try ClientProgram("curl").run(usual + arguments, directory: trial.directory)
            #expect(result.status == 0, "\(result.output)")
            return result.output
        }

        @Test(.timeLimit(.minutes(1))) func pushes() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            let place = trial.sendPlace + trial.devicePath
            #expect(try curl(trial, trial.fields() + ["-d", ClientTrial.payload(1), place]) == " http/2 200")
            #expect(try trial.shows(1))
            let missing = try curl(trial, trial.fields(authorization: false) + ["-d", ClientTrial.payload(2), place])
            #expect(missing == "{\"reason\":\"MissingProviderToken\"} http/2 403")
            try trial.trial.control.setFate(.unregistered, ofToken: trial.deviceToken)
            let gone = try curl(trial, trial.fields() + ["-d", ClientTrial.payload(2), place])
            #expect(gone.hasPrefix("{\"reason\":\"Unregistered\",\"timestamp\":") && gone.hasSuffix(" http/2 410"))
        }

        @Test(.timeLimit(.minutes(1))) func aClientCertificateInsteadOfAToken() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            for (environment, expected) in [
                ("sandbox", " http/2 200"), ("production", "{\"reason\":\"BadCertificateEnvironment\"} http/2 403"),
            ] {
                let printed = try trial.trial.run(["apns-simulator", "certificate", "--environment", environment])
                let path = trial.directory + "/client.pem"
                try TextFile.write(printed.output, to: path)
                let arguments =
                    ["--cert", path, "-d", ClientTrial.payload(3), trial.sendPlace + trial.devicePath]
                    + trial.fields(authorization: false)
                #expect(try curl(trial, arguments) == expected)
            }
            #expect(try trial.shows(3))
        }

        @Test(.timeLimit(.minutes(1))) func aChannelAndABroadcast() throws {
            let trial = try ClientTrial()
            defer { trial.end() }
            let bearer = ["-H", "authorization: bearer \(trial.token)"]
            let channels = trial.managePlace + "/1/apps/\(Trial.bundle)/channels"
            let created = try curl(
                trial,
                bearer + [
                    "--include", "-d", #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, channels,
                ])
            #expect(created.hasSuffix("http/2 201"), "\(created)")
            let line = created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("apns-channel-id: ") }
            let channel = String(try #require(line).dropFirst("apns-channel-id: ".count))
            try trial.trial.control.addDevices(3, app: Trial.bundle, .channel(channel), schema: "Score")
            let named = bearer + ["-H", "apns-channel-id: \(channel)"]
            let sent = try curl(
                trial,
                named + [
                    "-H", "apns-push-type: liveactivity", "-H", "apns-priority: 10", "-H", "apns-expiration: 0", "-d",
                    ClientTrial.payload(4), trial.sendPlace + "/4/broadcasts/apps/" + Trial.bundle,
                ])
            #expect(sent == " http/2 200")
            try trial.trial.control.wait(
                Condition(.channel(channel), .field(name: "counter", value: .integer(4)), activitiesMin: 3),
                timeoutMilliseconds: 10_000)
            #expect(try curl(trial, named + ["-X", "DELETE", channels]) == " http/2 204")
            #expect(
                try curl(trial, bearer + [trial.managePlace + "/1/apps/\(Trial.bundle)/all-channels"])
                    == "{\"channels\":[]} http/2 200")
        }
    }
}
