import SimulatedAPNs
import Testing

@Suite struct Base64Tests {
    @Test func thereAndBack() {
        var random = SplitMix64(seed: 1)
        for count in 0..<40 {
            let bytes = random.bytes(count)
            #expect(bytes.count == count)
            #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        }
        #expect(Base64.encode(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw==")
    }

    @Test(arguments: ["A", "AA", "AAA", "AA=A", "====", "AA==AA==", "AA-_", "AAA\n"])
    func notPadded(_ text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test func urlSafe() {
        #expect(Base64.decodeURLSafe("-_8".utf8) == [0xFB, 0xFF])
        #expect(Base64.decodeURLSafe("-_8=".utf8) == nil)
        #expect(Base64.decodeURLSafe("+/8".utf8) == nil)
        #expect(Base64.decodeURLSafe("A".utf8) == nil)
    }
}
