import SimulatedAPNs
import Testing

@Suite struct ProviderTokenTextTests {
    // {"alg":"ES256","kid":"KEY1234567"} and {"iss":"TEAM123456","iat":1790000000}
    private static let header = "eyJhbGciOiJFUzI1NiIsImtpZCI6IktFWTEyMzQ1NjcifQ"
    private static let claims = "eyJpc3MiOiJURUFNMTIzNDU2IiwiaWF0IjoxNzkwMDAwMDAwfQ"

    @Test func aGoodTokenIsTakenApart() throws {
        let text = try #require(ProviderTokenText(authorization: "bearer \(Self.header).\(Self.claims).AAEC"))
        #expect(text.keyID == "KEY1234567")
        #expect(text.teamID == "TEAM123456")
        #expect(text.issuedAtSeconds == 1_790_000_000)
        #expect(text.signature == [0, 1, 2])
        #expect(text.signedBytes == Array("\(Self.header).\(Self.claims)".utf8))
        #expect(ProviderTokenText(authorization: "BEARER \(Self.header).\(Self.claims).AAEC") != nil)
    }

    @Test(arguments: [
        "", "bearer", "bearer ", "bearer a", "basic a.b.c", "bearer \(header)", "bearer \(header).\(claims)",
        "bearer \(header).\(claims).AAEC.AAEC", "bearer \(claims).\(claims).AAEC", "bearer \(header).\(header).AAEC",
        "bearer \(header).\(claims).A", "bearer \(header).\(claims).A+/=", "bearer =.=.=",
        "bearer eyJhbGciOiJub25lIiwia2lkIjoiSyJ9.\(claims).AAEC",
    ])
    func badTokens(_ text: String) {
        #expect(ProviderTokenText(authorization: text) == nil)
    }

    @Test func anythingMayCome() {
        var random = SplitMix64(seed: 3)
        let good = Array("bearer \(Self.header).\(Self.claims).AAEC".utf8)
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<1 + random.below(4) {
                bytes[Int(random.below(Int64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.below(3) == 0 { bytes.removeLast(Int(random.below(Int64(bytes.count)))) }
            _ = ProviderTokenText(authorization: String(decoding: bytes, as: UTF8.self))
        }
    }
}
