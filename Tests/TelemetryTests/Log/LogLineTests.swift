import Testing

@testable import Telemetry

@Suite struct LogLineTests {
    private let head = LogLine.Head(
        milliseconds: 1_716_739_200_123, level: .notice, message: "recovered", component: "core", stage: .replicate)

    private func line(_ fields: LogFields, _ format: LogFormat, journal: Bool = false) -> String {
        var bytes: [UInt8] = []
        LogLine.append(
            head, context: ["node": "n1"], fields: fields, format: format, journal: journal, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func jsonLineHasFixedKeysFirst() {
        #expect(
            line(["keys": 12, "share": 0.5, "ok": true, "text": "a\"b\n\u{1}é"], .json)
                == #"{"time":"2024-05-26T16:00:00.123Z","level":"notice","message":"recovered","component":"core","#
                + #""stage":"replicate","node":"n1","keys":12,"share":0.5,"ok":true,"text":"a\"b\n\u0001é"}"# + "\n")
    }

    @Test func textLineQuotesWhatCouldForgeALine() {
        #expect(
            line(["a": "plain", "b": "two words", "c": "x\ny", "d": ""], .text)
                == "2024-05-26T16:00:00.123Z NOTICE  core/replicate: recovered "
                + "node=n1 a=plain b=\"two words\" c=\"x\\ny\" d=\"\"\n"
        )
    }

    @Test func journalPrefixCarriesThePriority() {
        #expect(line([:], .json, journal: true).hasPrefix("<5>{"))
    }

    @Test func numbersThatJSONLacksAreText() {
        #expect(line(["x": .number(.infinity), "y": .number(.nan)], .json).contains(#""x":"inf","y":"nan"}"#))
    }

    @Test func longValuesAreCutAtACharacter() {
        let text = line(["long": .string(String(repeating: "é", count: 2000))], .json)
        #expect(text.utf8.count < 1400)
        #expect(text.contains("é…"))
        #expect(!text.contains("\u{FFFD}"))
    }

    @Test func fieldsAreBounded() {
        var fields: LogFields = [:]
        for number in 0..<100 { fields.append("f\(number)", .count(number)) }
        #expect(line(fields, .json).contains("\"f30\""))
        #expect(!line(fields, .json).contains("\"f31\""))
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
        (.min, "0000-01-01T00:00:00.000Z"),
    ])
    func timestamps(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(milliseconds) == text)
    }

    @Test func redactedTextIsStableAndShort() {
        #expect(Redacted("abc").description == Redacted([97, 98, 99]).description)
        #expect(Redacted("abc").description.count == 9)
        #expect(Redacted("abc") != Redacted("abd"))
        #expect(!Redacted("abc").description.contains("abc"))
    }
}
