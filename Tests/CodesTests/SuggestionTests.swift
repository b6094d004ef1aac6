import Testing

@testable import Codes

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("portt", ["port", "host"], "port"), ("lsit", ["list", "create"], "list"),
        ("out", ["output", "app"], "output"),
        ("conections", ["connections", "loops"], "connections"), ("LEVEL", ["level"], "level"),
    ])
    func aSlipIsFound(word: String, candidates: [String], expected: String) {
        #expect(Suggestion.nearest(to: word, among: candidates) == expected)
    }

    @Test(arguments: ["", "zzzz", "x", String(repeating: "port", count: 100)])
    func nothingIsSaidWhenNothingIsNear(word: String) {
        #expect(Suggestion.nearest(to: word, among: ["port", "host", "delivery"]) == nil)
        #expect(Suggestion.phrase(for: word, among: ["port"]) == "")
    }

    @Test func distanceCountsSwapsOnce() {
        #expect(Suggestion.distance(Array("ab".utf8), Array("ba".utf8)) == 1)
        #expect(Suggestion.distance(Array("kitten".utf8), Array("sitting".utf8)) == 3)
        #expect(Suggestion.distance([], Array("abc".utf8)) == 3)
    }
}

@Suite struct JSONTextTests {
    @Test func everyControlCharacterIsEscaped() {
        var bytes: [UInt8] = []
        JSONText.append("q\" b\\ n\n t\t r\r \u{0} \u{1f} \u{7f} é🏏", to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #""q\" b\\ n\n t\t r\r \u0000 \u001f \u007f é🏏""#)
    }
}
