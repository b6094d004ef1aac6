import Codes
import Testing

@testable import Configuration

@Suite struct VariablesTests {
    @Test func variablesWinOverTheFile() throws {
        let settings = try load(
            base + "[delivery]\nconnections = 3\n",
            [
                "CARILLON_DELIVERY_CONNECTIONS": "5", "CARILLON_NODE_N1_PRODUCERS": "tcp://*:9000",
                "CARILLON_BUDGET_CHANNEL_STORED_PER_SECOND": "0.5", "CARILLON_CLUSTER_INSECURE": "1",
                "CARILLON_LOG_LEVEL": "debug", "CARILLON_NODE_N1_DATA_DIR": "/data", "PATH": "/bin",
            ]
        ).settings
        #expect(settings.delivery.connections == 5)
        #expect(settings.nodes.first?.producers == "tcp://*:9000")
        #expect(settings.nodes.first?.dataDirectory == "/data")
        #expect(settings.budgets.channelStored.perSecond == 0.5)
        #expect(settings.cluster.insecure)
        #expect(settings.log.level == .debug)
    }

    @Test func listsAreSeparatedByCommas() throws {
        let text = base + "[producer.scores]\napps = [\"cricket\"]\nprefixes = [\"a\"]\n"
        let settings = try load(text, ["CARILLON_PRODUCER_SCORES_PREFIXES": "match/, order/"]).settings
        #expect(settings.producers.first?.prefixes == ["match/", "order/"])
    }

    @Test(arguments: [
        ("CARILLON_DELIVERY_CONNECTIONS", "0", Code.outOfRange), ("CARILLON_DELIVERY_CONNECTIONS", "two", .wrongType),
        ("CARILLON_DELIVERY_CONNECTIONS", "", .wrongType), ("CARILLON_CLUSTER_INSECURE", "yes", .wrongType),
        ("CARILLON_LOG_FORMAT", "xml", .badValue), ("CARILLON_BUDGET_APP_BURST", "nan", .outOfRange),
        ("CARILLON_BUDGET_APP_BURST", "inf", .outOfRange), ("CARILLON_NODE_N1_PRODUCERS", "ipc://x", .badValue),
        ("CARILLON_NODE_N1_DATA_DIR", "", .badValue),
    ])
    func badVariablesAreFaultsThatNameThem(name: String, value: String, code: Code) {
        let found = faults(base, [name: value])
        #expect(found.map(\.code) == [code])
        #expect(found.first?.place == "environment variable \(name)")
    }

    @Test func unknownVariablesAreWarningsWithASuggestion() throws {
        let warnings = try Settings.parse(
            Array(base.utf8), file: "cluster.toml",
            environment: [
                "CARILLON_DELIVERY_CONECTIONS": "5", "CARILLON_BENCHMARKS": "1", "CARILLON_SEED": "7",
                "CARILLON_CONFIG": "x", "CARILLON_ZZZ": "",
            ], otherVariables: ["CARILLON_CONFIG"]
        ).get().warnings
        #expect(warnings.map(\.code) == [.unknownVariable, .unknownVariable])
        #expect(warnings.first?.detail == "overrides nothing; did you mean 'CARILLON_DELIVERY_CONNECTIONS'?")
        #expect(warnings.last?.place == "environment variable CARILLON_ZZZ")
    }

    @Test func namesThatWouldShareAVariableAreRefused() {
        let node = "\nproducers = \"tcp://127.0.0.1:7702\"\ndata_dir = \"b\"\n"
        let other = "\nproducers = \"tcp://127.0.0.1:7703\"\ndata_dir = \"c\"\n"
        let found = faults(base + "[node.a-b]" + node + "[node.a_b]" + other)
        let shared = found.filter { $0.detail.contains("would share the variable") }
        #expect(!shared.isEmpty)
        #expect(shared.allSatisfy { $0.code == .conflictingSettings })
    }

    /// Every key of the reference can be overridden, and its default is accepted back.
    @Test func everyDescribedKeyHasAWorkingVariable() throws {
        let text = Settings.defaultFile
        let plainSettings = try load(text).settings
        for section in SectionDescription.all {
            for key in section.keys {
                let name = Variables.name(of: "\(section.examplePath).\(key.name)")
                let value = spelled(section.values[key.name] ?? key.fallback)
                let loaded = try load(text, [name: value])
                #expect(loaded.warnings.isEmpty, "\(name)")
                #expect(loaded.settings == plainSettings, "\(name)=\(value)")
            }
        }
    }

    private func spelled(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        case .list(let words): words.joined(separator: ",")
        default: literal(value)
        }
    }
}
