import Testing

@testable import APNs

@Suite struct RequestIdentifiersTests {
    private func text(_ halves: (UInt64, UInt64)) -> String {
        String(
            decoding: [UInt8](unsafeUninitializedCapacity: 36) { buffer, count in
                guard let base = buffer.baseAddress else { return }
                RequestIdentifiers.write(halves, to: base)
                count = 36
            }, as: UTF8.self)
    }

    @Test func formIsCanonicalVersion4InLowerCase() {
        #expect(text((0x0d1c_3c55_6f0e_4a55, 0x9a1e_6f3a_2f0b_8c11)) == "0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11")
        var identifiers = RequestIdentifiers(seed: (1, 2, 3, 4))
        for _ in 0..<1000 {
            let bytes = Array(text(identifiers.nextHalves()).utf8)
            #expect(bytes[14] == UInt8(ascii: "4"))
            #expect("89ab".utf8.contains(bytes[19]))
            for (index, byte) in bytes.enumerated() {
                let dash = [8, 13, 18, 23].contains(index)
                #expect(dash ? byte == UInt8(ascii: "-") : "0123456789abcdef".utf8.contains(byte))
            }
        }
    }

    @Test func twoGeneratorsNeverMeet() {
        var left = RequestIdentifiers()
        var right = RequestIdentifiers()
        let identifiers = (0..<5000).flatMap { _ in [text(left.nextHalves()), text(right.nextHalves())] }
        #expect(Set(identifiers).count == 10_000)
    }
}
