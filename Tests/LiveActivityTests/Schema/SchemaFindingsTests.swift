import Codes
import LiveActivity
import Testing

@Suite struct SchemaFindingsTests {
    static let file = """
        {"types": {"A": {
          "attributes": {"id": "String"},
          "contentState": {
            "n": "Int", "when": "Date?", "window": "ClosedRange<Date>?", "took": "Duration?",
            "rows": {"array?": {"struct": {"name": "String", "phase": {"enum": ["preMatch", "done"]}}}},
            "next": {"cases?": {"idle": {}, "at": {"km": "Double"}}},
            "map": {"dictionary?": {"key": "Int", "value": "Bool"}},
            "pairs": {"dictionary?": {"key": {"enum": ["a"]}, "value": "Int"}},
            "level": {"enum?": [1, 5]}}}}}
        """

    struct Row: Sendable, CustomTestStringConvertible {
        let state: String
        /// `rule path` of each finding.
        let findings: [String]
        var testDescription: String { state }
    }

    static let rows: [Row] = [
        Row(state: #"{"n":1}"#, findings: []),
        Row(state: #"{"n":1,"other":{"n":[1,{}]},"when":null}"#, findings: []),
        Row(state: "{}", findings: ["schema-missing-key n"]),
        Row(state: #"{"N":1}"#, findings: ["schema-missing-key n"]),
        Row(state: #"{"n":"1"}"#, findings: ["schema-type n"]),
        Row(state: #"{"n":{"n":1}}"#, findings: ["schema-type n"]),
        Row(state: #"{"n":null}"#, findings: ["schema-type n"]),
        Row(state: #"{"n":1,"when":"2026-09-21T14:13:20Z"}"#, findings: ["schema-date-string when"]),
        Row(state: #"{"n":1,"when":1790000000}"#, findings: ["schema-date-epoch when"]),
        Row(state: #"{"n":1,"when":1230681600}"#, findings: []),
        Row(state: #"{"n":1,"when":[]}"#, findings: ["schema-type when"]),
        Row(state: #"{"n":1,"window":[1,1790000000]}"#, findings: ["schema-date-epoch window[1]"]),
        Row(state: #"{"n":1,"window":[2,1]}"#, findings: ["schema-type window[1]"]),
        Row(state: #"{"n":1,"window":[2]}"#, findings: ["schema-type window"]),
        Row(state: #"{"n":1,"window":["a",{}]}"#, findings: ["schema-date-string window[0]", "schema-type window[1]"]),
        Row(state: #"{"n":1,"took":[1,"2"]}"#, findings: ["schema-type took[1]"]),
        Row(
            state: #"{"n":1,"rows":[{"name":"a","phase":"done"},{"phase":"PreMatch"}]}"#,
            findings: ["schema-enum rows[1].phase", "schema-missing-key rows[1].name"]),
        Row(state: #"{"n":1,"rows":[{"name":"a","phase":"\u0064one"},3]}"#, findings: ["schema-type rows[1]"]),
        Row(state: #"{"n":1,"next":{"at":{"km":"2"}}}"#, findings: ["schema-type next.at.km"]),
        Row(state: #"{"n":1,"next":{"at":{}}}"#, findings: ["schema-missing-key next.at.km"]),
        Row(state: #"{"n":1,"next":{"gone":{"a":[]}}}"#, findings: ["schema-enum next"]),
        Row(state: #"{"n":1,"next":"idle"}"#, findings: ["schema-type next"]),
        Row(state: #"{"n":1,"next":{}}"#, findings: ["schema-type next"]),
        Row(state: #"{"n":1,"map":{"1":true,"x":1}}"#, findings: ["schema-type map.x", "schema-type map.x"]),
        Row(state: #"{"n":1,"pairs":["a",1,"b",2]}"#, findings: ["schema-enum pairs[2]"]),
        Row(state: #"{"n":1,"pairs":["a"]}"#, findings: ["schema-type pairs"]),
        Row(state: #"{"n":1,"pairs":{"a":1}}"#, findings: ["schema-type pairs"]),
        Row(state: #"{"n":1,"level":2}"#, findings: ["schema-enum level"]),
        Row(state: #"{"n":1,"level":"1"}"#, findings: ["schema-type level"]),
        Row(state: #"{"\u006e":1}"#, findings: []),
    ]

    private func lint(_ state: String, history: SentHistory = SentHistory()) throws -> (PayloadReport, [UInt8]) {
        let linter = PayloadLinter(schemas: try SchemaSet(reading: Array(Self.file.utf8), place: ""))
        let bytes = Array(#"{"aps":{"timestamp":100,"event":"update","content-state":\#(state)}}"#.utf8)
        return (linter.lint(bytes.span, as: .device, nowMilliseconds: 100_000, history: history), bytes)
    }

    @Test(arguments: rows) func findings(_ row: Row) throws {
        let (report, _) = try lint(row.state)
        let found = report.findings.map { "\($0.code.slug) \($0.path.dropFirst("aps.content-state.".count))" }
        #expect(found == row.findings)
        #expect(report.isAcceptable == row.findings.isEmpty && (report.layout != nil) == row.findings.isEmpty)
    }

    @Test func placesAreThoseOfThePayload() throws {
        let (report, bytes) = try lint("\n{\"n\": 1,\n \"rows\": [\n  {\"Name\": \"a\", \"phase\": \"x\"}]}")
        let places = report.findings.map { JSONLocation(of: $0.offset, in: bytes.span).description }
        #expect(places == ["4:26", "4:4"], "the value, and the key that looks like the missing one")
        #expect(report.findings[1].detail.contains("found Name"))
    }

    @Test func detailsHoldNoValues() throws {
        let (report, _) = try lint(
            #"{"n":"secret","when":"secret","rows":[{"name":1,"phase":"secret"}],"next":{"at":"secret"}}"#)
        #expect(report.findings.count == 5)
        #expect(!report.findings.contains { $0.detail.contains("secret") })
    }

    @Test func findingsAreBounded() throws {
        let rows = repeatElement("{}", count: 200).joined(separator: ",")
        let (report, _) = try lint(#"{"n":1,"rows":[\#(rows)]}"#)
        #expect(report.findings.count == PayloadInspector.findingsMax)
    }

    @Test func aStampMustBeAboveTheLast() throws {
        for (last, rules) in [(99, []), (100, ["timestamp-not-newer"]), (101, ["timestamp-not-newer"])]
            as [(Int64, [String])]
        {
            let (report, _) = try lint(#"{"n":1}"#, history: SentHistory(lastTimestampSeconds: last))
            #expect(report.findings.map(\.code.slug) == rules)
        }
    }

    @Test func attributesOfTheStartCountToo() throws {
        #expect(try lint(#"{"n":1}"#, history: SentHistory(attributesBytes: 4089)).0.findings.isEmpty)
        let (report, _) = try lint(#"{"n":1}"#, history: SentHistory(attributesBytes: 4090))
        #expect(report.findings.map(\.code.slug) == ["content-state-too-large"] && report.isAcceptable)
    }

    @Test func schemaFilesSayWhereTheyAreWrong() {
        let cases = [
            ("{", "f:1:2", "end"), ("{\"types\":\n {\"A\":{}}}", "f:2:3", "has no contentState"),
            ("{\"types\":{}}", "f", "no type"),
            (
                "{\"types\":{\"A\":{\"contentState\":{\n\"a\":{\"struct\":{\n \"b\":\"Foo\"}}}}}}", "f:3:2",
                "a.struct.b is no known type: Foo"
            ),
            ("{\"types\":{\"A\":{\"contentState\":{\"a\":{\"enum\":[1,\"b\"]}}}}}", "f:1:37", "must be an array"),
            ("{\"types\":{\"A\":{\"contentState\":{\"a\":{\"dictionary\":{}}}}}}", "f:1:37", "must have key and value"),
        ]
        for (text, place, words) in cases {
            do throws(Fault) {
                _ = try SchemaSet(reading: Array(text.utf8), place: "f")
                Issue.record("accepted \(text)")
            } catch {
                #expect(
                    error.code == .schemaUnreadable && error.place == place && error.detail.contains(words), "\(error)")
            }
        }
    }

    /// Any state, any damage: no trap, and never a finding outside of the payload.
    @Test func damagedStatesNeverTrap() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            var bytes = Array(Self.rows[Int.random(in: 0..<Self.rows.count, using: &random)].state.utf8)
            let other = Array(Self.rows[Int.random(in: 0..<Self.rows.count, using: &random)].state.utf8)
            let start = Int.random(in: 0..<other.count, using: &random)
            let end = min(other.count, start + Int.random(in: 1...10, using: &random))
            bytes.insert(contentsOf: other[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            let (report, payload) = try lint(String(decoding: bytes, as: UTF8.self))
            #expect(report.findings.allSatisfy { (0...payload.count).contains($0.offset) })
        }
    }

    /// Any schema file, any damage: refused with a place, or read.
    @Test func damagedSchemaFilesNeverTrap() {
        var random = SplitMix64(seed: 5)
        let file = Array(Self.file.utf8)
        var read = 0
        for _ in 0..<1_000 {
            var bytes = file
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...20, using: &random))
            if Bool.random(using: &random) {
                bytes.removeSubrange(start..<end)
            } else {
                bytes.insert(contentsOf: file[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            }
            do throws(Fault) {
                _ = try SchemaSet(reading: bytes, place: "f")
                read += 1
            } catch { #expect(error.code == .schemaUnreadable && error.place.hasPrefix("f")) }
        }
        #expect(read > 0)
    }
}
