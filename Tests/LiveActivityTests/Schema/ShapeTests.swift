import LiveActivity
import Testing

/// The table of Docs/APNs.md 4.4, row by row.
@Suite struct ShapeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let shape: String
        let decodes: [String]
        let fails: [String]
        var testDescription: String { shape }
    }

    static let rows: [Row] = [
        Row(shape: "\"Int\"", decodes: ["3", "3.0", "1e3", "-1"], fails: ["3.5", "\"3\"", "null", "1e30", "true"]),
        Row(shape: "\"Double\"", decodes: ["3", "3.5"], fails: ["\"3\"", "null", "[]"]),
        Row(shape: "\"Bool\"", decodes: ["true", "false"], fails: ["1", "\"true\"", "null"]),
        Row(shape: "\"String\"", decodes: ["\"\"", "\"a\""], fails: ["1", "null", "{}"]),
        Row(shape: "\"String?\"", decodes: ["\"a\"", "null"], fails: ["1"]),
        Row(shape: "\"Date\"", decodes: ["0", "811692800.5"], fails: ["\"2026-09-21T14:13:20Z\"", "null"]),
        Row(shape: "\"URL\"", decodes: ["\"https://example.com\""], fails: ["\"\"", "1"]),
        Row(
            shape: "\"UUID\"", decodes: ["\"0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11\""],
            fails: ["\"0d1c3c556f0e4a559a1e6f3a2f0b8c11\"", "[1]"]),
        Row(shape: "\"Data\"", decodes: ["\"AAECAw==\"", "\"\""], fails: ["\"A\"", "[0,1]", "\"A?==\""]),
        Row(shape: "\"Duration\"", decodes: ["[1,2]"], fails: ["1", "[1]", "[1,\"2\"]"]),
        Row(
            shape: "\"ClosedRange<Date>\"", decodes: ["[1,2]", "[1,1]", "[1,2,null]"],
            fails: ["[2,1]", "{\"lowerBound\":1,\"upperBound\":2}", "[1]", "[1,null]"]),
        Row(shape: "\"[Int]\"", decodes: ["[]", "[1,2]"], fails: ["[1,\"2\"]", "1", "null"]),
        Row(shape: "\"[String?]\"", decodes: ["[null,\"a\"]"], fails: ["[1]"]),
        Row(shape: "\"[String: Int]\"", decodes: ["{}", "{\"a\":1}"], fails: ["[]", "{\"a\":\"1\"}"]),
        Row(shape: "\"[Int: String]\"", decodes: ["{\"1\":\"a\"}"], fails: ["{\"x\":\"a\"}"]),
        Row(shape: "\"[UUID: Int]\"", decodes: ["[]"], fails: ["{}", "[1]"]),
        Row(shape: "{\"enum\":[\"a\",\"b\"]}", decodes: ["\"a\""], fails: ["\"A\"", "\"c\"", "1", "null"]),
        Row(shape: "{\"enum?\":[\"a\"]}", decodes: ["\"a\"", "null"], fails: ["\"A\""]),
        Row(
            shape: "{\"cases\":{\"idle\":{},\"moving\":{\"km\":\"Double\"},\"at\":{\"_0\":\"String\"}}}",
            decodes: ["{\"moving\":{\"km\":2}}", "{\"idle\":{}}", "{\"at\":{\"_0\":\"x\"}}"],
            fails: ["\"idle\"", "{}", "{\"idle\":{},\"moving\":{\"km\":2}}", "{\"moving\":{}}", "{\"gone\":{}}"]),
        Row(
            shape: "{\"struct\":{\"a\":\"Int\",\"b\":\"Int?\"}}",
            decodes: ["{\"a\":1}", "{\"a\":1,\"b\":null,\"c\":2}"],
            fails: ["{}", "{\"b\":1}", "{\"A\":1}", "[]"]),
    ]

    private func shape(_ text: String) throws -> Shape {
        let bytes = Array("{\"types\":{\"T\":{\"contentState\":{\"v\":\(text)}}}}".utf8)
        let schemas = try ActivitySchema.read(try JSONValue(parsing: bytes.span))
        return try #require(schemas.first?.contentState.first?.shape)
    }

    @Test(arguments: rows) func decoding(_ row: Row) throws {
        let shape = try shape(row.shape)
        for (texts, expected) in [(row.decodes, true), (row.fails, false)] {
            for text in texts {
                let decodes = shape.decodes(Array(text.utf8).span)
                #expect(decodes == expected, "\(text)")
            }
        }
    }

    @Test(arguments: [
        "\"Integer\"", "\"[Int\"", "\"Int]\"", "\"\"", "\"[String: ]\"", "\"ClosedRange<Bool>\"", "\"ClosedRange<Int\"",
        "{\"enum\":[]}",
        "{\"cases\":{}}",
        "{\"enum\":\"a\"}", "{\"what\":{}}", "1", "{\"struct\":{\"a\":\"Foo\"}}",
    ])
    func unreadableShapes(_ text: String) {
        #expect(throws: SchemaFault.self) { try shape(text) }
    }

    @Test func nestingIsBounded() {
        let deep = String(repeating: "[", count: 1000) + "Int" + String(repeating: "]", count: 1000)
        #expect(Shape(named: deep) == nil)
        #expect(Shape(named: "[[[Int]]]") == .array(.array(.array(.integer(.int)))))
        #expect(Shape(named: "Int???") == .optional(.integer(.int)))
    }

    @Test func schemasSayWhereTheyAreWrong() throws {
        let cases: [(String, String)] = [
            ("{}", "types"), ("{\"types\":{\"T\":{}}}", "types.T"),
            ("{\"types\":{\"T\":{\"contentState\":1}}}", "types.T.contentState"),
            ("{\"types\":{\"T\":{\"contentState\":{\"a\":\"X\"}}}}", "types.T.contentState.a"),
            ("{\"types\":{\"T\":{\"monotone\":\"b\",\"contentState\":{\"a\":\"Int\"}}}}", "types.T.monotone"),
        ]
        for (text, path) in cases {
            let bytes = Array(text.utf8)
            let value = try JSONValue(parsing: bytes.span)
            do {
                _ = try ActivitySchema.read(value)
                Issue.record("accepted \(text)")
            } catch { #expect(error.path == path) }
        }
    }
}
