import Codes
import Testing

@testable import Configuration

@Suite struct TomlParserTests {
    private func parse(_ text: String) -> Result<TomlNode, Fault> {
        TomlParser.parse(Array(text.utf8), file: "a.toml")
    }

    @Test func everyKindOfValueKeepsItsPlace() throws {
        let root = try parse("a = 1\nb = \"x\"\n[c.d]\ne = [1.5, true]\nf = 2020-01-01\n").get()
        let entries = try #require(root.table)
        #expect(entries.map(\.key) == ["a", "b", "c"])
        #expect(entries[0].keyPosition == SourcePosition(line: 1, column: 1))
        #expect(entries[0].node == TomlNode(value: .integer(1), position: SourcePosition(line: 1, column: 5)))
        #expect(entries[1].node.value == .string("x"))
        let inner = try #require(entries[2].node.table?.first)
        #expect(inner.key == "d")
        #expect(inner.keyPosition == SourcePosition(line: 3, column: 4))
        let list = try #require(inner.node.table?.first).node
        #expect(list.position == SourcePosition(line: 4, column: 5))
        guard case .array(let elements) = list.value else { throw Fault(.malformed) }
        #expect(elements.map(\.value) == [.number(1.5), .boolean(true)])
        #expect(elements[1].position == SourcePosition(line: 4, column: 11))
        #expect(inner.node.table?.last?.node.value == .date)
    }

    @Test func emptyTextIsAnEmptyTable() throws {
        #expect(try parse("").get().table == [])
        #expect(try parse("# only a comment\n").get().table == [])
    }

    @Test(arguments: [
        ("[node\n", "a.toml:1:6"), ("a = 1\na = 2\n", "a.toml:2:"), ("a = 01\n", "a.toml:1:"), ("a = \"x", "a.toml:1:"),
        ("a\u{0}=1", "a.toml:1:2"), ("a = \"\\ud800\"", "a.toml:1:"), ("= 1", "a.toml:1:"),
    ])
    func syntaxErrorsHaveAPlace(text: String, place: String) {
        guard case .failure(let fault) = parse(text) else {
            Issue.record("accepted \(text)")
            return
        }
        #expect(fault.code == .configurationSyntax)
        #expect(fault.place.hasPrefix(place))
        #expect(!fault.detail.isEmpty)
        #expect(!fault.detail.contains("\n"))
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        guard case .failure(let fault) = TomlParser.parse([0x61, 0x3D, 0x22, 0xFF, 0x22], file: "a.toml") else {
            Issue.record("accepted")
            return
        }
        #expect(fault.code == .configurationSyntax)
    }

    @Test func deepNestingIsRefusedNotFollowed() {
        let text = "a = " + String(repeating: "[", count: 100_000)
        guard case .failure(let fault) = parse(text) else {
            Issue.record("accepted")
            return
        }
        #expect(fault.code == .configurationSyntax)
    }

    @Test func damagedFilesNeverTrap() {
        let original = Array(Settings.defaultFile.utf8)
        var random = SplitMix64(state: 42)
        for _ in 0..<150 {
            var bytes = original
            for _ in 0..<Int(1 + random.next() % 8) {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(Array("[]=\".,\n#{}".utf8)[Int(random.next() % 10)], at: index)
                }
            }
            if case .failure(let problems) = Settings.parse(bytes, file: "a.toml", environment: [:]) {
                #expect(!problems.faults.isEmpty)
            }
        }
    }
}

struct SplitMix64 {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
