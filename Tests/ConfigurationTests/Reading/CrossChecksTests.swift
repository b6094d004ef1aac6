import Codes
import Testing

@testable import Configuration

@Suite struct CrossChecksTests {
    @Test func nodesAndAppsMustExist() {
        #expect(faults("config_version = 1\n").map(\.code) == [.settingMissing, .settingMissing])
    }

    @Test func appsOfProducersMustExist() {
        let found = faults(base + "[producer.scores]\napps = [\"criket\", \"*\"]\nprefixes = [\"\"]\n")
        #expect(found.map(\.code) == [.danglingName])
        #expect(found.first?.place == "cluster.toml:12:8")
        #expect(found.first?.detail == "apps: there is no section [app.criket]; did you mean 'cricket'?")
    }

    @Test func aReserveLeavesRoomForOrdinaryEvents() {
        let found = faults(base + "[budget.channel_stored]\nburst = 1\n")
        #expect(found.map(\.code) == [.conflictingSettings])
        #expect(found.first?.place == "cluster.toml:12:9")
        #expect(faults(base + "[budget.channel_stored]\nburst = 1\n[budget.app]\nreserve_percent = 0\n").isEmpty)
    }

    @Test func theReserveIsOneForAllBudgets() throws {
        let budgets = try load(base + "[budget.app]\nreserve_percent = 50\n").settings.budgets
        #expect(budgets.channelStored.reservePercent == 50)
        #expect(budgets.channelUnstored.reservePercent == 50)
        let found = faults(base + "[budget.channel_stored]\nreserve_percent = 5\n")
        #expect(
            found.first?.detail
                == "unknown key 'reserve_percent' in [budget.channel_stored]; it belongs to [budget.app]")
    }

    @Test func simulatorPortsDiffer() {
        #expect(faults(base + "[simulator]\nsend_port = 7444\n").map(\.code) == [.conflictingSettings])
    }

    @Test func aSocketPathMustFitTheKernel() {
        let path = String(repeating: "x", count: 108)
        #expect(faults(base + "[simulator]\ncontrol_socket = \"/\(path)\"\n").map(\.code) == [.badValue])
    }

    @Test func insecureIsAWarning() throws {
        let loaded = try load(base + "[cluster]\ninsecure = true\n")
        #expect(loaded.warnings.map(\.code) == [.insecure])
        #expect(loaded.warnings.first?.place == "cluster.toml:12:12")
    }

    @Test(arguments: [
        "[node]\nx = 1\n", "[node.N1]\n", "[node.\"a b\"]\n", "[node.\(String(repeating: "x", count: 33))]\n",
        "node = 3\n", "[[app]]\n", "[environment.staging]\n", "[budget]\nper_second = 1\n", "[log.level]\n",
        "[delivery]\nconnections = 2020-01-01\n", "[delivery]\nconnections = 1.0\n", "[delivery]\nconnections = [2]\n",
        "[producer.p]\napps = []\nprefixes = [\"\"]\n", "[producer.p]\napps = [1]\nprefixes = [\"\"]\n",
        "[keys]\ndirectory = \"\"\n", "[environment.sandbox]\nsend_host = \"a b\"\n",
    ])
    func malformedSectionsAreFaultsWithAPlace(lines: String) {
        // `node = 3` must come before the first section header of the file to be a key of the root.
        let text = lines.hasPrefix("node =") ? "config_version = 1\n" + lines : base + lines
        let found = faults(text)
        #expect(!found.isEmpty)
        #expect(found.contains { $0.place.hasPrefix("cluster.toml:") })
    }
}
