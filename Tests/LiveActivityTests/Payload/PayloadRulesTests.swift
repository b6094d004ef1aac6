import Codes
import LiveActivity
import Testing

/// The rules one by one, beyond what the manifest's examples show.
@Suite struct PayloadRulesTests {
    private static let now: Int64 = 1_790_000_000

    private func inspect(_ text: String, as kind: RequestKind = .device) -> PayloadReport {
        PayloadInspector().inspect(Array(text.utf8).span, as: kind, nowMilliseconds: Self.now * 1000)
    }

    /// `slug@path` of every finding.
    private func findings(_ text: String, as kind: RequestKind = .device) -> [String] {
        inspect(text, as: kind).findings.map { "\($0.code.slug)@\($0.path)" }
    }

    private func aps(_ members: String) -> String { #"{"aps":{"event":"update","content-state":{},\#(members)}}"# }

    private static let start =
        #""event":"start","content-state":{},"attributes-type":"T","attributes":{},"alert":{"title":"t"}"#

    @Test(arguments: [
        (#""stale-date":"x""#, ["date-type@aps.stale-date"]),
        (#""stale-date":null"#, ["date-null@aps.stale-date"]),
        (#""stale-date":1e11"#, ["date-milliseconds@aps.stale-date"]),
        (#""stale-date":999999999999999999999999999999"#, ["date-milliseconds@aps.stale-date"]),
        (#""stale-date":1789999999.9"#, ["stale-in-past@aps.stale-date"]),
        (#""stale-date":1790000000"#, []),
        (#""dismissal-date":1790000000"#, ["dismissal-on-non-end@aps.dismissal-date"]),
        (#""dismissal-date":{}"#, ["date-type@aps.dismissal-date"]),
        (#""timestamp":1790000011"#, ["timestamp-future@aps.timestamp"]),
        (#""timestamp":1790000010"#, []),
        (#""timestamp":-5"#, []),
        (#""timestamp":null"#, ["timestamp-type@aps.timestamp"]),
        (#""timestamp":99999999999.5"#, ["timestamp-future@aps.timestamp"]),
        (#""timestamp":-1e400"#, []),
        (#""relevance-score":null"#, ["relevance-type@aps.relevance-score"]),
        (#""relevance-score":-7.25e3"#, []),
        (#""sound":"default""#, ["sound-outside-alert@aps.sound"]),
        (#""attributes":{}"#, ["attributes-on-update@aps.attributes"]),
        (#""attributes-type":"T""#, ["attributes-on-update@aps.attributes-type"]),
        (#""input-push-token":1"#, ["input-push-on-non-start@aps.input-push-token"]),
        (#""a":1,"\u0062":2"#, ["aps-unknown-key@aps.a", "aps-unknown-key@aps.b"]),
        (#""Event":"end""#, ["aps-unknown-key@aps.Event"]),
        (#""":1"#, ["aps-unknown-key@aps."]),
        (#""\u0074imestamp":"x""#, ["timestamp-type@aps.timestamp"]),
    ])
    func judgesMembers(members: String, expected: [String]) {
        #expect(findings(aps(members)) == expected)
    }

    @Test(arguments: [
        (#""text""#, ["alert-type@aps.alert"]), ("null", ["alert-type@aps.alert"]),
        ("[1,[2]]", ["alert-type@aps.alert"]),
        ("{}", []), (#"{"title":"t","body":"b","sound":"s"}"#, []),
        (#"{"title":1}"#, ["alert-loc-shape@aps.alert.title"]), (#"{"body":null}"#, ["alert-loc-shape@aps.alert.body"]),
        (#"{"body":[]}"#, ["alert-loc-shape@aps.alert.body"]), (#"{"title":{}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"title":{"loc-args":["x"]}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"title":{"loc-key":5}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"title":{"loc-key":{"loc-key":"x"}}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"title":{"loc-key":"k","loc-args":"x"}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"title":{"loc-key":"k","loc-args":{}}}"#, ["alert-loc-shape@aps.alert.title"]),
        (#"{"body":{"loc-key":"k","loc-args":["a",1]}}"#, ["alert-loc-shape@aps.alert.body"]),
        (#"{"body":{"loc-key":"k","loc-args":["a",["b"]]}}"#, ["alert-loc-shape@aps.alert.body"]),
        (#"{"body":{"loc-key":"k","loc-args":[],"other":[1]}}"#, []),
        (#"{"title":{"loc-key":"k"},"body":{"loc-args":[]}}"#, ["alert-loc-shape@aps.alert.body"]),
        (#"{"sound":{"critical":1}}"#, ["alert-type@aps.alert.sound"]),
        (#"{"sound":1}"#, ["alert-type@aps.alert.sound"]),
        (#"{"loc-key":"k"}"#, ["alert-flat-loc@aps.alert.loc-key"]),
        (#"{"x":{"title":{"loc-args":1}}}"#, []),
    ])
    func judgesAlerts(alert: String, expected: [String]) {
        #expect(findings(aps(#""alert":\#(alert)"#)) == expected)
    }

    @Test func judgesEnds() {
        let late = Self.now + 4 * 3600
        #expect(findings(#"{"aps":{"event":"end","content-state":{},"dismissal-date":\#(late)}}"#) == [])
        #expect(
            findings(#"{"aps":{"event":"end","content-state":{},"dismissal-date":\#(late + 1)}}"#)
                == ["dismissal-beyond-4h@aps.dismissal-date"])
        let report = inspect(#"{"aps":{"event":"end","dismissal-date":12.7,"stale-date":-0.5}}"#)
        #expect(report.event == .end)
        #expect(report.dismissalDateSeconds == 12)
        #expect(report.staleDateSeconds == -1)
    }

    @Test func judgesStarts() {
        #expect(findings("{\"aps\":{\(Self.start)}}", as: .start) == [])
        #expect(findings("{\"aps\":{\(Self.start)}}", as: .device) == ["event-kind-mismatch@aps.event"])
        #expect(findings("{\"aps\":{\(Self.start)}}", as: .broadcast) == ["event-start-on-broadcast@aps.event"])
        #expect(
            findings(#"{"aps":{"event":"start","attributes-type":null,"attributes":[]}}"#, as: .start) == [
                "content-state-missing@aps.content-state", "attributes-type-missing@aps.attributes-type",
                "attributes-missing@aps.attributes", "alert-missing-on-start@aps.alert",
            ])
    }

    @Test(arguments: [
        (#""input-push-token":1"#, []), (#""input-push-token":1.0"#, []),
        (#""input-push-token":"1""#, ["input-push-token-value@aps.input-push-token"]),
        (#""input-push-token":2"#, ["input-push-token-value@aps.input-push-token"]),
        (#""input-push-channel":"dHN0LXNyY2gtY2hubA==""#, []), (#""input-push-channel":"ab\/+""#, []),
        (#""input-push-channel":"dHN0LXNyY2gtY2hubA""#, ["input-push-channel-format@aps.input-push-channel"]),
        (#""input-push-channel":"====""#, ["input-push-channel-format@aps.input-push-channel"]),
        (#""input-push-channel":"a=bc""#, ["input-push-channel-format@aps.input-push-channel"]),
        (#""input-push-channel":"""#, ["input-push-channel-format@aps.input-push-channel"]),
        (#""input-push-channel":5"#, ["input-push-channel-format@aps.input-push-channel"]),
    ])
    func judgesInputPush(member: String, expected: [String]) {
        #expect(findings("{\"aps\":{\(Self.start),\(member)}}", as: .start) == expected)
    }

    @Test(arguments: [
        ("", "body-empty"), ("[]", "body-not-object"), ("\"aps\"", "body-not-object"), ("{}", "aps-missing"),
        ("{\"aps\":[]}", "aps-missing"), ("{\"aps\":null}", "aps-missing"), ("{\"aps\":{}}", "event-missing"),
        ("{\"aps\":{\"event\":3}}", "event-unknown"), ("{\"aps\":{\"event\":\"End\"}}", "event-unknown"),
        (String(repeating: "[", count: 33), "body-too-deep"),
        ("{" + (0..<257).map { "\"\($0)\":0" }.joined(separator: ",") + "}", "body-too-many-keys"),
        ("{\"aps\":{\"event\":\"end\",\"\\u0065vent\":\"end\"}}", "body-duplicate-key"),
        (String(repeating: " ", count: 70_000), "body-too-large"),
    ])
    func refusesBodies(text: String, slug: String) {
        let report = inspect(text)
        #expect(report.firstError?.code.slug == slug)
        #expect(report.layout == nil)
    }

    @Test(arguments: [[0x1F, 0x8B, 8, 0], [0x78, 0x9C, 1, 2], [0x28, 0xB5, 0x2F, 0xFD]] as [[UInt8]])
    func namesCompression(head: [UInt8]) {
        let report = PayloadInspector().inspect(head.span, as: .device, nowMilliseconds: 0)
        #expect(report.findings.map(\.code) == [.bodyCompressed])
    }

    @Test func reckonsTheSizeWithTheStampIn() {
        // 4096 bytes with the stamp that the producer left out: 23 bytes of `"timestamp":1790000000,`.
        let frame = #"{"aps":{"event":"update","content-state":{"x":""}}}"#.utf8.count
        func payload(_ bytes: Int) -> String {
            let filler = String(repeating: "a", count: bytes - frame)
            return #"{"aps":{"event":"update","content-state":{"x":"\#(filler)"}}}"#
        }
        #expect(inspect(payload(4073)).sizeWithStamp == 4096)
        #expect(inspect(payload(4073)).isAcceptable)
        #expect(inspect(payload(4074)).findings.map(\.code) == [.bodyTooLarge])
        #expect(inspect(payload(5097), as: .broadcast).findings.map(\.code) == [.contentStateTooLarge])
        #expect(inspect(payload(5098), as: .broadcast).firstError?.code == .bodyTooLarge)
    }

    @Test func reportsRangesAndTimes() throws {
        let text = #"{"aps":{"timestamp":17,\#(Self.start.replacing("{}", with: #"{"a":1}"#))},"x":{"timestamp":1}}"#
        let bytes = Array(text.utf8)
        let report = inspect(text, as: .start)
        func slice(_ range: Range<Int>?) -> String { range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "" }
        #expect(slice(report.contentStateRange) == #"{"a":1}"#)
        #expect(slice(report.attributesRange) == #"{"a":1}"#)
        #expect(slice(report.attributesTypeRange) == "T")
        #expect(report.producerTimestampSeconds == 17)
        #expect(report.event == .start)
        #expect(report.layout?.hasAlert == true)
    }

    @Test func boundsTheFindings() {
        let many = aps((0..<100).map { "\"k\($0)\":1" }.joined(separator: ","))
        #expect(inspect(many).findings.count == PayloadInspector.findingsMax)
        // An error after many warnings must not be lost.
        let hidden = aps((0..<100).map { "\"k\($0)\":1" }.joined(separator: ",") + #","relevance-score":"x""#)
        #expect(!inspect(hidden).isAcceptable)
    }

    @Test func findingBecomesAFault() throws {
        let finding = try #require(inspect(aps(#""alert":5"#)).firstError)
        #expect(finding.fault.code == .alertType)
        #expect(finding.fault.place == "aps.alert")
        #expect(finding.fault.detail == "aps.alert is a number")
    }
}
