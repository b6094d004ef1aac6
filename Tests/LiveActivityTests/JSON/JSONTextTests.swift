import LiveActivity
import Testing

@Suite struct JSONTextTests {
    private func string(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return JSONText.string(bytes.span, 0..<bytes.count)
    }

    private func integer(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        return JSONText.integer(bytes.span, 0..<bytes.count)
    }

    private func double(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return JSONText.double(bytes.span, 0..<bytes.count)
    }

    @Test func resolvesEscapes() {
        #expect(string("plain ⚽️") == "plain ⚽️")
        #expect(string(#"\"\\\/\b\f\n\r\t"#) == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(string(#"\u0041\u00e9\u20AC\ud83d\ude00!"#) == "Aé€😀!")
        #expect(string(#"\u0000"#) == "\u{0}")
    }

    @Test func bytesNeverAcceptedDoNotTrap() {
        for text in ["\\", "\\u", "\\u12", "\\ud800", "\\ud800\\u", "\\udc00x", "\\q", "a\\"] { _ = string(text) }
    }

    @Test func readsIntegersExactly() {
        #expect(integer("0") == 0)
        #expect(integer("-0") == 0)
        #expect(integer("9223372036854775807") == .max)
        #expect(integer("-9223372036854775808") == .min)
        #expect(integer("9223372036854775808") == nil)
        #expect(integer("-9223372036854775809") == nil)
        #expect(integer("123456789012345678901234567890") == nil)
        for text in ["1.0", "1e3", "", "-", "x", "1 ", "\"1\""] { #expect(integer(text) == nil, "\(text)") }
    }

    @Test func readsOtherNumbersAndWords() {
        #expect(double("75.50") == 75.5)
        #expect(double("-1e-3") == -0.001)
        #expect(double("1e999") == nil)
        #expect(double("x") == nil)
        let words = Array("truefalsenull".utf8)
        let read = [0..<4, 4..<9, 9..<13].map { JSONText.bool(words.span, $0) }
        #expect(read == [true, false, nil])
    }

    @Test func comparesUnescaped() {
        let bytes = Array(#"\u0061psaps"#.utf8)
        func equals(_ range: Range<Int>, escaped: Bool, _ text: StaticString) -> Bool {
            JSONText.equals(bytes.span, range, escaped: escaped, text)
        }
        #expect(equals(0..<8, escaped: true, "aps"))
        #expect(!equals(0..<8, escaped: true, "apt"))
        #expect(equals(8..<11, escaped: false, "aps"))
        #expect(!equals(8..<11, escaped: false, "ap"))
    }

    @Test func handsOverTopLevelMembers() throws {
        let bytes = Array(#"{"a":1,"\u0062":"x\n","c":{"d":[2]},"e":null,"f":true,"g":1.5,"h":[]}"#.utf8)
        var seen: [String] = []
        try JSONScanner.forEachMember(bytes.span) { member in
            let name = JSONText.string(bytes.span, member.name)
            seen.append("\(name) \(member.kind) \(JSONText.string(bytes.span, member.value))")
        }
        #expect(
            seen == [
                "a integer 1", "b escapedString x\n", #"c object {"d":[2]}"#, "e null null", "f bool true",
                "g decimal 1.5", "h array []",
            ])
        var found = false
        try JSONScanner.forEachMember(bytes.span) { if $0.isNamed("b", in: bytes.span) { found = true } }
        #expect(found)
    }

    @Test func rootMustBeAnObject() {
        for text in ["[]", "[{\"a\":1}]", "1", "\"x\""] {
            var members = 0
            #expect(throws: JSONFault(.unexpectedByte, at: 0)) {
                try JSONScanner.forEachMember(Array(text.utf8).span) { _ in members += 1 }
            }
            #expect(members == 0)
        }
    }

    @Test func locatesBytes() {
        let bytes = Array("{\n  \"a\": x\n}".utf8)
        let places = [9, 0, 100].map { JSONLocation(of: $0, in: bytes.span).description }
        #expect(places == ["2:8", "1:1", "3:90"])
    }

    @Test(arguments: [
        ("", ""), ("{\"a\":x", "a"), ("{\"a\":{\"b\":[1,{\"c\":2},x]}}", "a.b[2]"), ("[[1],[2,x]]", "[1][1]"),
        ("{\"a\":[{\"x\":1,\"x\":2}]}", "a[0].x"), ("{\"a\":1,", "a"), ("x", ""),
    ])
    func namesThePathOfAFault(text: String, path: String) {
        let bytes = Array(text.utf8)
        let fault = JSONScanner.validate(bytes.span)
        let found = fault.map { JSONPath(to: $0, in: bytes.span).description }
        #expect(found == path)
    }
}
