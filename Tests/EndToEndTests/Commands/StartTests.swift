import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Testing

extension EndToEnd {
    /// What the command line says before anything runs.
    @Suite struct StartTests {
        @Test(.timeLimit(.minutes(1))) func aSecondNodeOnTheSameDirectoryIsRefused() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let admin = try trial.client(admin: true)
            try await admin.ping()
            let second = try trial.run(["node", "--name", "n1"])
            #expect(second.status == .cannotCreate && second.errors.contains("CRL-S100"), "\(second.errors)")
            try await admin.ping()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func nodesAreCheckedBeforeTheyStart() throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            #expect(try trial.run(["node", "--name", "n1", "--check"]).status == .success)
            let unknown = try trial.run(["node", "--name", "n7"])
            #expect(unknown.status == .config && unknown.errors.contains("n7"), "\(unknown.errors)")
            #expect(try trial.run(["node"]).status == .usage)
        }

        @Test(.timeLimit(.minutes(1))) func mistakesInTheConfigurationAreAllNamedWithTheirPlace() throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let path = trial.cluster.configuration
            let good = TextFile.read(path)
            #expect(try trial.run(["config", "check"]).status == .success)
            try TextFile.write(
                good.replacing("loops = 1", with: "lopps = 1").replacing("credit = 1000", with: "credit = 0")
                    .replacing("prefixes = [", with: "prefixes = 7 #"), to: path)
            let bad = try trial.run(["config", "check"])
            #expect(bad.status == .config)
            for line in ["lopps", "credit", "prefixes"] {
                let number =
                    try #require(
                        TextFile.read(path).split(separator: "\n", omittingEmptySubsequences: false)
                            .firstIndex { $0.hasPrefix("\(line) = ") }) + 1
                #expect(bad.errors.contains("\(path):\(number):"), "\(line): \(bad.errors)")
            }
            #expect(bad.errors.contains("loops"), "a suggestion: \(bad.errors)")
            #expect(try trial.run(["node", "--name", "n1"]).status == .config)
            let json = try trial.run(["config", "check", "-o", "json"])
            #expect(json.status == .config && json.json?.array?.count ?? 0 >= 3)
            try TextFile.write(good + "\n[limits\n", to: path)
            #expect(try trial.run(["config", "check"]).status == .config)
        }

        @Test(.timeLimit(.minutes(1))) func wrongCommandLinesAreExplained() throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let command = try trial.run(["pubish"])
            #expect(command.status == .usage && command.errors.contains("publish"), "\(command.errors)")
            let option = try trial.run(["status", "--endpont", "x"])
            #expect(option.status == .usage && option.errors.contains("--endpoint"), "\(option.errors)")
            let value = try trial.run(["status", "-o", "xml"])
            #expect(value.status == .usage && value.errors.contains("json"), "\(value.errors)")
            #expect(try trial.run(["channel", "create", "--app", "cricket"]).status == .usage)
            for arguments in [["--help"], ["publish", "--help"], ["version"], ["--version"]] {
                let run = try CommandRun(
                    arguments, directory: trial.cluster.directory, environment: ["NO_COLOR=1", "TERM=xterm"])
                #expect(run.status == .success && !run.output.isEmpty && !run.output.contains("\u{1b}"))
            }
            let plain = try trial.run(["status", "--no-color", "--timeout", "300ms"], environment: ["NO_COLOR=1"])
            #expect(plain.status == .unavailable && !plain.errors.contains("\u{1b}"))
        }

        @Test(.timeLimit(.minutes(1))) func unknownVariablesAreWarnedOf() throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let run = try trial.run(["config", "check"], environment: ["CARILLON_DELIVERY_LOPPS=2"])
            #expect(run.status == .success && run.errors.contains("CARILLON_DELIVERY_LOPPS"), "\(run.errors)")
            let value = try trial.run(["config", "check"], environment: ["CARILLON_LIMITS_CREDIT=-4"])
            #expect(value.status == .config && value.errors.contains("CARILLON_LIMITS_CREDIT"), "\(value.errors)")
        }

        @Test(.timeLimit(.minutes(1))) func keysAreMadeOnce() throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let made = try trial.run(["keys", "new", "--role", "producer", "extra"])
            #expect(made.status == .success, "\(made.errors)")
            let again = try trial.run(["keys", "new", "--role", "producer", "extra"])
            #expect(again.status != .success && again.errors.contains("CRL-"), "\(again.errors)")
            let list = try trial.run(["keys", "list", "-o", "json"])
            #expect(list.status == .success && list.output.contains("extra"), "\(list.output)\(list.errors)")
            let secret = TextFile.read(trial.cluster.directory + "/data/keys/producer/extra.key_secret")
            #expect(secret.contains("secret-key"))
            for run in [made, again, list] {
                for line in secret.split(separator: "\n") where line.contains("secret-key") {
                    let key = line.split(separator: "\"").last ?? ""
                    #expect(!run.output.contains(key) && !run.errors.contains(key))
                }
            }
        }
    }
}
