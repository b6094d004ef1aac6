import Codes
import Testing

@testable import Configuration

/// A small valid file to which tests add lines.
let base = """
    config_version = 1
    [node.n1]
    producers = "tcp://127.0.0.1:7701"
    data_dir = "data/n1"
    [app.cricket]
    bundle_id = "com.example.cricket"
    environment = "simulator"
    team_id = "SIMTEAM001"
    key_id = "SIMKEY0001"
    key_file = "key.p8"

    """

func load(_ text: String, _ environment: [String: String] = [:], file: String = "cluster.toml") throws -> LoadedSettings
{
    try Settings.parse(Array(text.utf8), file: file, environment: environment).get()
}

func faults(_ text: String, _ environment: [String: String] = [:]) -> [Fault] {
    guard
        case .failure(let problems) = Settings.parse(
            Array(text.utf8), file: "cluster.toml", environment: environment)
    else { return [] }
    return problems.faults
}

@Suite struct SettingsTests {
    @Test func theSmallestFileHasEveryDefault() throws {
        let loaded = try load(base)
        var expected = Settings()
        expected.file = "cluster.toml"
        expected.nodes = loaded.settings.nodes
        expected.apps = loaded.settings.apps
        #expect(loaded.settings == expected)
        #expect(loaded.warnings.isEmpty)
        #expect(loaded.settings.node("n1")?.dataDirectory == "data/n1")
        #expect(loaded.settings.appIndex("cricket") == 0)
        #expect(loaded.settings.node("n2") == nil)
    }

    @Test func theDefaultFileRunsAsItStands() throws {
        let loaded = try load(Settings.defaultFile)
        let settings = loaded.settings
        #expect(loaded.warnings.isEmpty)
        #expect(settings.nodes.map(\.name) == ["n1", "n2", "n3"])
        #expect(settings.voters == ["n1", "n2", "n3"] && !settings.isClusterOfOne)
        #expect(settings.apps.map(\.name) == ["cricket"])
        #expect(settings.apps.first?.environment == .simulator)
        #expect(settings.producers.map(\.name) == ["scores"])
        #expect(settings.admins.map(\.name) == ["ops"])
        #expect(settings.environments[.simulator].sendPort == settings.simulator.sendPort)
        #expect(settings.environments[.simulator].managePort == settings.simulator.managePort)
        #expect(settings.environments[.production].managePort == 2196)
        // Whatever is written as a default is the default.
        var defaults = Settings()
        defaults.file = settings.file
        (defaults.nodes, defaults.apps) = (settings.nodes, settings.apps)
        (defaults.producers, defaults.admins) = (settings.producers, settings.admins)
        defaults.cluster.voters = settings.cluster.voters
        #expect(settings == defaults)
    }

    @Test func severalProblemsComeTogetherInOrderOfTheirPlaces() {
        let found = faults(
            base + """
                [delivery]
                conections = 2
                stream_timeout_ms = 0
                loops = "two"
                [log]
                level = "inof"
                [delivry]
                """)
        #expect(found.map(\.code) == [.unknownSetting, .outOfRange, .wrongType, .badValue, .unknownSetting])
        #expect(
            found.map(\.place)
                == [12, 13, 14, 16, 17].enumerated().map { index, line in
                    "cluster.toml:\(line):\([1, 21, 9, 9, 2][index])"
                })
        #expect(found[0].detail == "unknown key 'conections' in [delivery]; did you mean 'connections'?")
        #expect(found[1].detail == "stream_timeout_ms: 0 is not in 100 to 600000")
        #expect(found[2].detail == "loops: expected whole number, 1 to 16, found text")
        #expect(found[3].detail.hasSuffix("; did you mean 'info'?"))
        #expect(found[4].detail == "unknown section 'delivry'; did you mean 'delivery'?")
    }

    @Test func aKeyInTheWrongSectionIsSentHome() {
        let found = faults(base + "[limits]\nstream_timeout_ms = 5\n")
        #expect(found.first?.detail == "unknown key 'stream_timeout_ms' in [limits]; it belongs to [delivery]")
        #expect(faults("credit = 5\n" + base).first?.detail == "unknown key 'credit'; it belongs to [limits]")
    }

    /// Zero and negative limits must never pass: a pool of size 0 hangs in silence.
    @Test func noNumberCanBeNegativeAndNoLimitZero() {
        let zeroIsFine = [
            "budget.app.reserve_percent", "simulator.answer_delay_ms", "simulator.past_limit_s",
            "demo.offline_percent", "demo.late_percent",
        ]
        for section in SectionDescription.all where !section.isNamed {
            for key in section.keys {
                guard case .integer = key.fallback else { continue }
                let path = "\(section.path).\(key.name)"
                for number in ["-1", "-9223372036854775808"] + (zeroIsFine.contains(path) ? [] : ["0"]) {
                    let found = faults(base + "[\(section.path)]\n\(key.name) = \(number)\n")
                    #expect(found.first?.code == .outOfRange, "\(path) = \(number)")
                    #expect(found.first?.place.hasPrefix("cluster.toml:12:") == true)
                }
            }
        }
    }

    @Test func requiredKeysAreNamed() {
        let found = faults("config_version = 1\n[node.n1]\ndata_dir = \"d\"\n[app.a]\n")
        #expect(found.map(\.code).allSatisfy { $0 == .settingMissing })
        #expect(
            found.map(\.detail) == [
                "key 'producers' is missing in [node.n1]", "key 'bundle_id' is missing in [app.a]",
                "key 'environment' is missing in [app.a]", "key 'team_id' is missing in [app.a]",
                "key 'key_id' is missing in [app.a]", "key 'key_file' is missing in [app.a]",
            ])
        #expect(found.first?.place == "cluster.toml:2:7")
        #expect(found.last?.place == "cluster.toml:4:6")
    }

    @Test(arguments: ["", "config_version = 2\n", "config_version = \"1\"\n"])
    func anotherVersionIsTheOnlyProblem(line: String) {
        let found = faults(line + "nonsense = 1\n")
        #expect(found.map(\.code) == [.configurationVersion])
    }

    @Test func relativePathsAreRelativeToTheFile() throws {
        let settings = try load(base, file: "/etc/carillon/cluster.toml").settings
        #expect(settings.nodes.first?.dataDirectory == "/etc/carillon/data/n1")
        #expect(settings.keys.directory == "/etc/carillon/data/keys")
        #expect(settings.environments[.simulator].caFile == "/etc/carillon/data/simulator/ca.pem")
        #expect(settings.environments[.production].caFile == "")
        #expect(
            settings.nodes.first.map(settings.secretKeyFile(of:)) == "/etc/carillon/data/keys/node/n1.key_secret")
        let absolute = try load(base + "[keys]\ndirectory = \"/keys\"\n", file: "conf/cluster.toml").settings
        #expect(absolute.keys.directory == "/keys")
        #expect(absolute.nodes.first?.dataDirectory == "conf/data/n1")
    }

    @Test func aMissingFileIsAFault() {
        guard case .failure(let problems) = Settings.load(path: "/nowhere/cluster.toml", environment: [:]) else {
            Issue.record("loaded")
            return
        }
        #expect(problems.faults.first?.code == .configurationUnreadable)
        #expect(problems.faults.first?.place == "/nowhere/cluster.toml")
    }

    @Test func aDirectoryIsAFault() {
        guard case .failure(let problems) = Settings.load(path: "/", environment: [:]) else {
            Issue.record("loaded")
            return
        }
        #expect(problems.faults.first?.code == .configurationUnreadable)
    }
}
