import LiveActivity
import Testing

@Suite struct JSONScannerTests {
    private func fault(_ text: String, _ limits: JSONLimits = .standard) -> JSONFault? {
        JSONScanner.validate(Array(text.utf8).span, limits: limits)
    }

    private func fault(bytes: [UInt8]) -> JSONFault? { JSONScanner.validate(bytes.span) }

    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "-0.5e-10", "1E+2", "\"\"", " \t\r\n{} \n", "[[],{}]",
        #"{"a":1,"b":[1,2,{"c":null}]}"#, #""\"\\\/\b\f\n\r\t\u0041\ud83c\udDfb""#, "\"日本語 é ⚽️ 👩‍👩‍👧‍👦\"",
        #"{"a":{"a":{"a":1}}}"#, "123456789012345678901234567890", "[1 , 2 ]", #"{ "a" : 1 , "b" : 2 }"#,
        "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"",
    ])
    func acceptsWellFormed(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(arguments: [
        ("", JSONFault.Reason.empty, 0), ("  \n", .empty, 0), ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
        ("\"ab", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5),
        ("tru", .unexpectedEnd, 3), ("trux", .unexpectedByte, 3), ("nul}", .unexpectedByte, 3),
        ("-", .unexpectedEnd, 1),
        ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("[1.]", .badNumber, 3),
        ("[-]", .badNumber, 2), ("01", .badNumber, 0), ("-01", .badNumber, 1), ("+1", .unexpectedByte, 0),
        (".5", .unexpectedByte, 0), ("[1,]", .unexpectedByte, 3), ("{\"a\":1,}", .unexpectedByte, 7),
        ("{a:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5),
        ("[1 2]", .unexpectedByte, 3), ("[}", .unexpectedByte, 1), ("{]", .unexpectedByte, 1),
        ("[1}", .unexpectedByte, 2),
        ("{} x", .trailingBytes, 3), ("1 2", .trailingBytes, 2), ("{}{}", .trailingBytes, 2),
        ("\"\\x\"", .badEscape, 1), ("\"\\u12g4\"", .badEscape, 1), ("\"\\u12", .unexpectedEnd, 5),
        ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\ud800\\n\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
        ("\"\\ud800\\u0041\"", .loneSurrogate, 1), ("\"a\nb\"", .controlCharacter, 2),
        ("\"\u{0}\"", .controlCharacter, 1),
        ("NaN", .unexpectedByte, 0), ("\u{FEFF}{}", .unexpectedByte, 0), ("é", .unexpectedByte, 0),
        ("// x\n1", .unexpectedByte, 0), ("\u{C}1", .unexpectedByte, 0),
    ])
    func refusesMalformed(text: String, reason: JSONFault.Reason, offset: Int) {
        #expect(fault(text) == JSONFault(reason, at: offset))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func refusesBadUTF8(sequence: [UInt8]) {
        for padding in 0..<10 {
            let before = [0x22] + [UInt8](repeating: 0x61, count: padding)
            #expect(fault(bytes: before + sequence + [0x22])?.reason == .notUTF8)
            #expect(fault(bytes: before + sequence + Array("abcdefgh\"".utf8)) == JSONFault(.notUTF8, at: 1 + padding))
        }
        #expect(fault(bytes: sequence)?.reason == .notUTF8)
    }

    @Test func agreesWithSwiftOnEveryShortSequence() {
        // Every two-byte pair, and every lead with boundary continuations, against the standard library's decoder.
        let edges: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xED, 0xF4, 0xFF]
        for lead in UInt8(0x80)...0xFF {
            for second in edges {
                for third in edges {
                    for fourth in edges {
                        let tail = [lead, second, third, fourth].filter { $0 >= 0x20 }
                        let valid = String(validating: tail, as: UTF8.self) != nil
                        let document = [0x22] + tail + [0x22]
                        #expect((fault(bytes: document) == nil) == valid, "\(tail)")
                    }
                }
            }
        }
    }

    @Test func findsDuplicatesAtAnyLevelAndSpelling() {
        #expect(fault(#"{"a":1,"a":2}"#) == JSONFault(.duplicateKey, at: 7))
        #expect(fault(#"{"x":[{"b":1,"c":2,"b":3}]}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"a":1,"\u0061":2}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"\u0061":1,"a":2}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"a/b":1,"a\/b":2}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"":1,"":2}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"é":1,"\u00e9":2}"#)?.reason == .duplicateKey)
        #expect(fault(#"{"a":{"a":1},"b":{"a":1}}"#) == nil)
        #expect(fault(#"{"a/b":1,"a\/c":2,"A/b":3}"#) == nil)
        // The same letter composed and decomposed: different names, as RFC 8259 8.3 compares code units.
        #expect(fault("{\"\u{E9}\":1,\"e\u{301}\":2}") == nil)
    }

    @Test func findsADuplicateAmongMany() {
        let names = (0..<200).map { "\"key\($0)\":\($0)" }
        #expect(fault("{" + names.joined(separator: ",") + "}") == nil)
        #expect(fault("{" + names.joined(separator: ",") + ",\"key0\":1}")?.reason == .duplicateKey)
        #expect(fault("{" + names.joined(separator: ",") + ",\"key199\":1}")?.reason == .duplicateKey)
    }

    @Test func holdsLimits() {
        let limits = JSONLimits(bytesMax: 40, depthMax: 3, keysPerObjectMax: 2)
        #expect(fault("[[[1]]]", limits) == nil)
        #expect(fault("[[[[1]]]]", limits) == JSONFault(.tooDeep, at: 3))
        #expect(fault("[{\"a\":{}}]", limits) == nil)
        #expect(fault("[{\"a\":{\"b\":[]}}]", limits)?.reason == .tooDeep)
        #expect(fault(#"{"a":1,"b":2}"#, limits) == nil)
        #expect(fault(#"{"a":1,"b":2,"c":3}"#, limits) == JSONFault(.tooManyKeys, at: 13))
        #expect(fault(String(repeating: " ", count: 39) + "1", limits) == nil)
        #expect(fault(String(repeating: " ", count: 40) + "1", limits) == JSONFault(.tooLarge, at: 40))
        #expect(fault("1", JSONLimits(depthMax: 0)) == nil)
        #expect(fault("[]", JSONLimits(depthMax: 0))?.reason == .tooDeep)
    }

    @Test func boundsNamesOfDeepestDocument() {
        // The shortest bytes per open name: the name stack must hold them all.
        let text = String(repeating: "{\"\":", count: 500) + "1" + String(repeating: "}", count: 500)
        #expect(fault(text, JSONLimits(depthMax: 1024)) == nil)
        let wide = "{" + (0..<4000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(fault(wide, JSONLimits(keysPerObjectMax: 10_000)) == nil)
    }

    @Test func stringsOfEveryLengthAndSpecialPosition() {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(fault("\"\(plain)\"") == nil)
            for position in 0..<length {
                var bytes = Array("\"\(plain)\"".utf8)
                bytes[1 + position] = 0x1F
                #expect(fault(bytes: bytes) == JSONFault(.controlCharacter, at: 1 + position))
                bytes[1 + position] = 0x22
                #expect(fault(bytes: bytes) != nil)
            }
        }
    }
}
