import Foundation
import LiveActivity
import Testing

/// Whether the schema of a source decides as the real `JSONDecoder` does with the same source compiled.
@Suite struct AgreementTests {
    static let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "SampleActivities.swift")

    static func schema() throws -> ActivitySchema {
        let file = SwiftSource.File(name: "SampleActivities.swift", bytes: try Array(Data(contentsOf: source)))
        let reading = SwiftSource.read([file])
        #expect(reading.faults == [])
        return try #require(reading.schemas.first)
    }

    static let state = """
        {"home":1,"awayScore":2,"minute":null,"pace":1.5,"isLive":true,"kickOff":811692800.5,"window":[1,2],
        "phase":"1st","level":5,"players":[{"id":"0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11","name":"R"},
        {"id":"0D1C3C55-6F0E-4A55-9A1E-6F3A2F0B8C11"}],
        "next":{"at":{"_0":3,"place":"x"}},"marks":["1st",[1,2],"second",[]],"byNumber":{"7":"a","-1":"b"},"small":-128,
        "unsigned":7,"link":"https://example.com","took":[1,2],"blob":"AAECAw==","tags":["a"],"extra":{"a":[1]}}
        """
    static let attributes = #"{"matchID":"7","class":"A","teams":{"x":{"founded":1900,"grounds":["G"]}}}"#

    private func decodes<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) -> Bool {
        (try? JSONDecoder().decode(type, from: Data(bytes))) != nil
    }

    @Test func theSampleDecodesBothWays() throws {
        let schema = try Self.schema()
        #expect(schema.name == "SampleAttributes")
        #expect(decodes(SampleAttributes.ContentState.self, Array(Self.state.utf8)))
        let ours = schema.decodesState(Array(Self.state.utf8).span)
        #expect(ours)
        #expect(decodes(SampleAttributes.self, Array(Self.attributes.utf8)))
        let attributes = schema.decodesAttributes(Array(Self.attributes.utf8).span)
        #expect(attributes)
    }

    /// Replaces, renames and removes values of the sample at random; both must agree on each.
    @Test func changedValuesDecodeAlike() throws {
        let schema = try Self.schema()
        var random = SplitMix64(seed: 41)
        var refused = 0
        for round in 0..<3_000 {
            let isState = round % 4 != 0
            let text = Self.changed(isState ? Self.state : Self.attributes, &random)
            guard JSONScanner.validate(Array(text.utf8).span) == nil else { continue }
            let bytes = Array(text.utf8)
            let truth =
                isState ? decodes(SampleAttributes.ContentState.self, bytes) : decodes(SampleAttributes.self, bytes)
            let ours = isState ? schema.decodesState(bytes.span) : schema.decodesAttributes(bytes.span)
            #expect(truth == ours, "JSONDecoder \(truth), schema \(ours): \(text)")
            if !truth { refused += 1 }
        }
        #expect(refused > 500, "the changes must break something: \(refused)")
    }

    private static let values = [
        "null", "true", "0", "1", "-1", "3.0", "3.5", "1e3", "127", "128", "1790000000", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "\"\"", "\"a\"", "\"1st\"",
        "\"second\"", "\"AA==\"", "[]", "{}", "[1]", "[1,2]", "[2,1]", "[1,2,3]", "[\"1st\",[1]]",
        "{\"idle\":{}}", "{\"idle\":{},\"at\":{\"_0\":1}}", "{\"at\":{\"_0\":1}}", "{\"after\":{\"_0\":{\"steps\":1}}}",
        "{\"after\":{\"_0\":{}}}", "{\"gone\":{}}", "{\"1\":\"a\"}", "{\"x\":\"a\"}", "[null]", "[{\"id\":1}]",
        "{\"id\":\"0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11\"}", "[\"\\u0031st\",[1]]", "\"\\u0031st\"", "[1.5,2]",
    ]

    /// One member's value replaced, or its name changed.
    private static func changed(_ text: String, _ random: inout SplitMix64) -> String {
        let bytes = Array(text.utf8)
        var spans: [(name: Range<Int>, value: Range<Int>)] = []
        collect(bytes, 0..<bytes.count, &spans)
        let chosen = spans[Int.random(in: 0..<spans.count, using: &random)]
        var result = bytes
        if Int.random(in: 0..<5, using: &random) == 0 {
            result.replaceSubrange(chosen.name, with: Array("X".utf8))
        } else {
            let value = values[Int.random(in: 0..<values.count, using: &random)]
            result.replaceSubrange(chosen.value, with: Array(value.utf8))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Names and values of all members of objects, the inner ones too; values of strings with their quotes.
    private static func collect(
        _ bytes: [UInt8], _ range: Range<Int>, _ spans: inout [(name: Range<Int>, value: Range<Int>)]
    ) {
        guard bytes[range.lowerBound] == UInt8(ascii: "{") else { return }
        var inner: [Range<Int>] = []
        try? JSONScanner.forEachMember(bytes.span.extracting(range)) { member in
            let quotes = member.kind.isString ? 1 : 0
            let value =
                member.value.lowerBound - quotes + range.lowerBound..<member.value.upperBound + quotes
                + range.lowerBound
            spans.append((member.name.lowerBound + range.lowerBound..<member.name.upperBound + range.lowerBound, value))
            if member.kind == .object { inner.append(value) }
        }
        for range in inner { collect(bytes, range, &spans) }
    }
}
