import LiveActivity
import Testing

@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8).span) }

    @Test func buildsTheTreeInOrder() throws {
        let value = try parse(#"{"z":1,"a":[true,null,-2.5,"x\ty",{}],"":{"b":12345678901234567890}}"#)
        #expect(
            value
                == .object([
                    .init("z", .integer(1)),
                    .init("a", .array([.bool(true), .null, .decimal(-2.5), .string("x\ty"), .object([])])),
                    .init("", .object([.init("b", .decimal(12_345_678_901_234_567_168))])),
                ]))
        #expect(value["z"]?.integer == 1)
        #expect(value["a"]?[3]?.string == "x\ty")
        #expect(value["a"]?[0]?.bool == true)
        #expect(value["a"]?[9] == nil)
        #expect(value["a"]?[2]?.double == -2.5)
        #expect(value["z"]?.double == 1)
        #expect(value["nope"] == nil)
        #expect(value["a"]?.array?.count == 5)
        #expect(value.object?.map(\.name) == ["z", "a", ""])
        #expect(value.string == nil && value.integer == nil && value.bool == nil && value.array == nil)
    }

    @Test func refusesWhatTheScannerRefuses() {
        #expect(throws: JSONFault.self) { try parse("{\"a\":1,\"a\":2}") }
        #expect(throws: JSONFault.self) { try parse("") }
    }

    @Test(arguments: [
        #"{"a":1,"b":[1,2,{"c":null}],"d":"x\"\\\n\u0001é"}"#, "[]", "{}", "[[],{}]", "-5", "true", #""⚽️""#,
        "[1.5,2.0]", #"{"":{"":""}}"#,
    ])
    func writesWhatItRead(text: String) throws {
        var writer = JSONWriter()
        writer.value(try parse(text))
        #expect(writer.text == text)
        #expect(try parse(writer.text) == parse(text))
    }

    @Test func writesMembersWithCommas() {
        var writer = JSONWriter(appendingTo: Array("x".utf8))
        writer.beginObject()
        writer.member("s", "a/b\r\u{1F}")
        writer.member("i", -1)
        writer.member("b", false)
        writer.name("l")
        writer.beginArray()
        writer.decimal(.infinity)
        writer.beginObject()
        writer.endObject()
        writer.raw("1.50".utf8)
        writer.endArray()
        writer.name("n")
        writer.null()
        writer.endObject()
        #expect(writer.text == #"x{"s":"a/b\r\u001f","i":-1,"b":false,"l":[null,{},1.50],"n":null}"#)
    }
}
