import Foundation
import LiveActivity
import Testing

/// Mutated payloads: nothing traps, and what is accepted is accepted by Foundation too.
@Suite struct JSONFuzzTests {
    private static let iterations = 20_000

    private static func seeds() throws -> [[UInt8]] {
        var seeds = try PayloadFixtures.load().payloads.map(\.bytes).filter { !$0.isEmpty && $0.count < 600 }
        let shapes = [
            #"{"a":[1,-2.5e+3,true,false,null,"\u00e9\ud83d\ude00\n"],"b":{"\/":{}}}"#, "[[[[[[[[]]]]]]]]",
            "[0,-0,1E5,0.1]", "{\"é\":\"日本語\",\"😀\":1}",
        ]
        seeds += shapes.map { Array($0.utf8) }
        return seeds
    }

    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "null", "true", "0", "-", "1e", ".", " ", "\n",
        "\u{0}", "é", "\u{FEFF}", "\"a\":1,",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        for _ in 0...random.below(3) {
            let place = random.below(bytes.count + 1)
            switch random.below(5) {
            case 0 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: tokens[random.below(tokens.count)], at: place)
            case 3: bytes.removeSubrange(place...)
            default:
                let other = random.below(bytes.count + 1)
                let slice = Array(bytes[min(place, other)..<min(max(place, other), min(place, other) + 24)])
                bytes.insert(contentsOf: slice, at: place)
            }
        }
    }

    @Test func mutatedPayloadsAgreeWithFoundation() throws {
        let seeds = try Self.seeds()
        var random = SplitMix64(seed: 7)
        let inspector = PayloadInspector(requireTimestamp: true)
        var accepted = 0
        for iteration in 0..<Self.iterations {
            var bytes = seeds[random.below(seeds.count)]
            Self.mutate(&bytes, &random)
            let fault = JSONScanner.validate(bytes.span)
            if let fault {
                #expect(fault.offset >= 0 && fault.offset <= bytes.count)
            } else {
                accepted += 1
                #expect(Self.foundationAccepts(bytes), "\(iteration): \(String(decoding: bytes, as: UTF8.self))")
            }
            let kind = RequestKind.allCases[iteration % 3]
            let report = inspector.inspect(bytes.span, as: kind, nowMilliseconds: 1_790_000_000_000)
            #expect((fault == nil) || !report.isAcceptable)
            Self.checkRendering(report, bytes)
        }
        #expect(accepted > Self.iterations / 50)
    }

    /// Notices numbers above the range of Double: well-formed by RFC 8259, refused by Foundation.
    private struct HugeNumbers: JSONVisitor {
        var found = false

        mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {}
        mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
            if kind.isNumber, JSONText.double(bytes, range) == nil { found = true }
        }
        mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {}
        mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {}
    }

    private static func foundationAccepts(_ bytes: [UInt8]) -> Bool {
        var huge = HugeNumbers()
        try? JSONScanner.scan(bytes.span, visitor: &huge)
        return huge.found
            || (try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])) != nil
    }

    private static func checkRendering(_ report: PayloadReport, _ bytes: [UInt8]) {
        guard let layout = report.layout else { return }
        for quiet in [false, true] {
            var output: [UInt8] = []
            let done = layout.render(bytes.span, stampSeconds: 1_790_000_001, quiet: quiet, into: &output)
            let fault = JSONScanner.validate(output.span)
            #expect(done && fault == nil)
        }
    }

    @Test func randomBytesNeverTrap() {
        var random = SplitMix64(seed: 11)
        let alphabet = Array("{}[]:,\"\\ \n0123456789-+.eEtrufalsn/bx".utf8) + [0x00, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(40)).map { _ in alphabet[random.below(alphabet.count)] }
            if JSONScanner.validate(bytes.span) == nil { #expect(Self.foundationAccepts(bytes)) }
            _ = try? JSONValue(parsing: bytes.span)
        }
    }

    @Test func truncationsAreRefusedWithoutTrap() throws {
        for seed in try Self.seeds() where JSONScanner.validate(seed.span) == nil {
            for end in 0..<seed.count where seed[0] == 0x7B {
                let fault = JSONScanner.validate(Array(seed[..<end]).span)
                #expect(fault != nil)
            }
        }
    }
}
