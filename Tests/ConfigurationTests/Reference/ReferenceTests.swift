import CLinux
import Codes
import Testing

@testable import Configuration

@Suite struct ReferenceTests {
    /// Generated files are compared; `CARILLON_UPDATE_DOCS=1 swift test --filter ReferenceTests` writes them anew.
    private func compare(_ path: String, with text: String) throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        if getenv("CARILLON_UPDATE_DOCS") != nil {
            let descriptor = crl_open(root + "/" + path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var bytes = Array(text.utf8)
            try #require(write(descriptor, &bytes, bytes.count) == bytes.count)
        }
        let found = try ConfigurationFile.read(root + "/" + path).get()
        let current = String(decoding: found, as: UTF8.self)
        #expect(current == text, "\(path) is out of date: run with CARILLON_UPDATE_DOCS=1")
    }

    @Test func clusterTomlIsTheDefaultFile() throws {
        try compare("cluster.toml", with: Settings.defaultFile)
    }

    @Test(arguments: 1...9) func aFileOfAnySizeIsGood(count: Int) throws {
        let loaded = try load(Settings.defaultFile(nodes: count))
        #expect(loaded.settings.nodes.count == count && loaded.settings.voters.count == count)
        #expect(loaded.settings.isClusterOfOne == (count == 1))
        #expect(loaded.warnings.map(\.code) == (count % 2 == 0 ? [.evenVoters] : []))
    }

    @Test func theReferenceIsMadeFromTheTable() throws {
        try compare("Docs/Reference/Configuration.md", with: Settings.reference)
    }

    @Test func namesSayTheirUnits() {
        for section in SectionDescription.all {
            for key in section.keys where key.name.contains("timeout") || key.name.contains("interval") {
                #expect(key.name.hasSuffix("_ms") || key.name.hasSuffix("_s"), "\(section.path).\(key.name)")
            }
        }
    }

    @Test func everyKeyIsExplained() throws {
        for section in SectionDescription.all {
            #expect(try Settings.explain(section.path).get().contains(section.summary))
            for key in section.keys {
                #expect(key.meaning.hasSuffix("."), "\(section.path).\(key.name)")
                let text = try Settings.explain("\(section.path).\(key.name)").get()
                #expect(text.contains(Variables.name(of: "\(section.path).\(key.name)")))
            }
        }
        #expect(try Settings.explain("node.n7.producers").get().contains("CARILLON_NODE_N7_PRODUCERS"))
    }

    @Test func anUnknownKeyIsGuessed() {
        guard case .failure(let fault) = Settings.explain("delivery.conections") else {
            Issue.record("explained")
            return
        }
        #expect(fault.detail == "no key 'delivery.conections'; did you mean 'delivery.connections'?")
    }
}
