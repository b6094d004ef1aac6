import APNsSimulator
import Codes
import LiveActivity
import LocalCluster
import Testing

extension EndToEnd {
    /// The command line against a running node.
    @Suite struct CommandTests {
        private static let named = ["--app", "cricket", "--channel", "match/1"]

        @Test(.timeLimit(.minutes(2))) func aChannelFromItsCreationToItsDeletion() throws {
            let trial = try Trial()
            defer { trial.end() }
            let created = try trial.run(["channel", "create", "match/1", "--app", "cricket", "-o", "json"])
            #expect(created.status == .success, "\(created.errors)")
            let id = created.json?["channel_id"]?.string ?? created.json?[0]?["channel_id"]?.string
            #expect(id?.isEmpty == false, "\(created.output)")
            let again = try trial.run(["channel", "create", "match/1", "--app", "cricket", "-o", "json"])
            #expect(again.output == created.output)
            let list = try trial.run(["channel", "list", "--app", "cricket"])
            #expect(list.status == .success && list.output.contains("match/1") && list.output.contains(id ?? "?"))
            #expect(try trial.run(["channel", "list", "--app", "cricket", "-o", "json"]).json?.array?.count == 1)

            let payload = trial.cluster.directory + "/goal.json"
            try TextFile.write(String(decoding: Event.payload(7), as: UTF8.self), to: payload)
            let published = try trial.run(["publish", payload, "--id", "goal-7", "-o", "json"] + Self.named)
            #expect(published.status == .success && published.json?["repeated"]?.bool == false, "\(published.errors)")
            let repeated = try trial.run(["publish", payload, "--id", "goal-7", "-o", "json"] + Self.named)
            #expect(repeated.json?["repeated"]?.bool == true)
            #expect(repeated.json?["version"] == published.json?["version"])
            let got = try trial.run(["get"] + Self.named)
            #expect(got.output == TextFile.read(payload) + "\n", "as its producer wrote it")
            #expect(try trial.run(["get", "-o", "json"] + Self.named).json?["id"]?.string == "goal-7")
            let isShown = try eventually {
                let shown = try trial.run(["event", "show", "goal-7", "-o", "json"] + Self.named)
                return shown.json?["outcome"]?.string == "apns_accepted"
            }
            #expect(isShown)
            #expect(try trial.run(["apns-simulator", "state", "-o", "json"]).json?["channel_count"]?.integer == 1)

            let refused = try trial.run(["channel", "delete", "match/1", "--app", "cricket"])
            #expect(refused.status == .usage, "without --yes nothing is deleted unless a person is asked")
            #expect(try trial.control.state().channelCount == 1)
            let deleted = try trial.run(["channel", "delete", "match/1", "--app", "cricket", "--yes"])
            #expect(deleted.status == .success, "\(deleted.errors)")
            #expect(try trial.control.state().channelCount == 0)
            #expect(try trial.run(["channel", "list", "--app", "cricket", "-o", "json"]).json?.array?.isEmpty == true)
        }

        @Test(.timeLimit(.minutes(1))) func statusIsReadableForPeopleAndPrograms() throws {
            let trial = try Trial()
            defer { trial.end() }
            let status = try trial.run(["status"])
            #expect(status.status == .success, "\(status.errors)")
            for stage in ["ingest", "route", "replicate", "admit", "dispatch", "settle"] {
                #expect(status.output.lowercased().contains(stage))
            }
            #expect(!status.output.contains("\u{1b}"), "no colours into a file")
            let json = try trial.run(["status", "-o", "json"])
            #expect(json.json?["healthy"]?.bool == true, "\(json.output)")
            #expect(json.json?["nodes"]?[0]?["status"]?["stages"]?["ingest"] != nil)
            let node = try trial.run(["status", "--node", "n1", "-o", "json"])
            #expect(node.json?["node"]?.string == "n1" && node.json?["stages"]?["ingest"] != nil)
            let waited = try trial.run(["status", "--exit-when-healthy", "--within", "10s"])
            #expect(waited.status == .success && waited.output.contains("healthy"), "\(waited.errors)")
            #expect(
                try eventually {
                    let shards = try trial.run(["shards", "--key", "cricket/channel/match/1", "-o", "json"])
                    return shards.json?["owner"]?.string == "n1"
                })
            #expect(try trial.run(["trace", "nothing"]).status == .failed)
        }

        @Test(.timeLimit(.minutes(1))) func refusalsHaveTheirExitStatus() throws {
            let trial = try Trial()
            defer { trial.end() }
            let payload = trial.cluster.directory + "/event.json"
            try TextFile.write(String(decoding: Event.payload(1), as: UTF8.self), to: payload)
            let bad = trial.cluster.directory + "/bad.json"
            try TextFile.write(#"{"aps":{"event":"update","content-state":[]}}"#, to: bad)

            let unknown = try trial.run(["publish", payload] + Self.named)
            #expect(unknown.status == .data && unknown.errors.contains("CRL-P104"), "\(unknown.errors)")
            let lint = try trial.run(["publish", bad, "--app", "cricket", "--activity", "match/1"])
            #expect(lint.status == .data && lint.errors.contains("content-state-type"), "\(lint.errors)")
            let foreign = try trial.run(
                ["publish", payload, "--app", "cricket", "--activity", "other/1", "--as", "scores"])
            #expect(foreign.status == .permission && foreign.errors.contains("CRL-P103"), "\(foreign.errors)")
            let missing = try trial.run(["publish", "/nowhere.json"] + Self.named)
            #expect(missing.status == .noInput, "\(missing.errors)")
            let token = try trial.run(["register", "xyz", "--app", "cricket", "--activity", "match/1"])
            #expect(token.status == .usage || token.status == .data, "\(token.errors)")
            let nobody = try trial.run(["status", "--timeout", "500ms", "--endpoint", "tcp://127.0.0.1:1"])
            #expect(nobody.status == .unavailable && nobody.errors.contains("CRL-P117"), "\(nobody.errors)")
            for run in [unknown, lint, foreign, missing, nobody] { #expect(run.output.isEmpty) }
        }

        @Test(.timeLimit(.minutes(1))) func registerGivesATokenTheCurrentState() throws {
            let trial = try Trial()
            defer { trial.end() }
            let payload = trial.cluster.directory + "/event.json"
            try TextFile.write(String(decoding: Event.payload(9), as: UTF8.self), to: payload)
            #expect(
                try trial.run(["publish", payload, "--app", "cricket", "--activity", "match/1"]).status == .success)
            let token = try #require(
                try trial.control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score").tokens.first)
            let registered = try trial.run(
                ["register", token, "--app", "cricket", "--activity", "match/1", "-o", "json"])
            #expect(registered.status == .success && registered.json?["changed"]?.bool == true, "\(registered.errors)")
            #expect(!registered.output.contains(token) && !TextFile.read(trial.cluster.nodeLog).contains(token))
            #expect(
                try eventually {
                    try trial.control.device(ofToken: token)["activities"]?[0]?["state"]?["counter"]?.integer == 9
                })
        }
    }
}
