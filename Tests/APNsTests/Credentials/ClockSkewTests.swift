import Testing

@testable import APNs

@Suite struct ClockSkewTests {
    @Test func readsTheDateOfTheStandard() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT".utf8) == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT".utf8) == 0)
        #expect(HTTPDate.seconds("Tue, 29 Feb 2028 23:59:59 GMT".utf8) == 1_835_481_599)
        #expect(HTTPDate.seconds("Mon, 21 Sep 2026 14:13:20 GMT".utf8) == 1_790_000_000)
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 6 Nov 1994 08:49:37 GMT ", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 19x4 08:49:37 GMT",
        "Sun, 06 Nov 1994 08-49-37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
    ])
    func refusesEverythingElse(text: String) {
        #expect(HTTPDate.seconds(text.utf8) == nil)
    }

    @Test func saysAStateOnce() {
        var skew = ClockSkew()
        #expect(skew.observe(serverSeconds: 1000, wallSeconds: 1000) == nil)
        #expect(skew.observe(serverSeconds: 1029, wallSeconds: 1000) == nil)
        #expect(skew.observe(serverSeconds: 4900, wallSeconds: 1000) == .skewed(seconds: 3900))
        for second in Int64(0)..<100 {
            #expect(skew.observe(serverSeconds: 4900 + second, wallSeconds: 1000 + second) == nil)
        }
        #expect(skew.observe(serverSeconds: 1020, wallSeconds: 1000) == nil, "neither off nor in agreement yet")
        #expect(skew.observe(serverSeconds: 1003, wallSeconds: 1000) == .agrees)
        #expect(skew.observe(serverSeconds: 1003, wallSeconds: 1000) == nil)
        #expect(skew.observe(serverSeconds: 1000, wallSeconds: 8200) == .skewed(seconds: -7200))
        #expect(skew.observe(serverSeconds: 8200, wallSeconds: 1000) == .skewed(seconds: 7200), "it jumped")
    }

    @Test func extremesDoNotTrap() {
        var skew = ClockSkew()
        #expect(skew.observe(serverSeconds: .min, wallSeconds: 1) == nil)
        #expect(skew.observe(serverSeconds: .min, wallSeconds: 0) == .skewed(seconds: -3_162_240_000))
        #expect(skew.observe(serverSeconds: .max, wallSeconds: 0) == .skewed(seconds: 3_162_240_000))
        #expect(skew.observe(serverSeconds: 1, wallSeconds: .max) == .skewed(seconds: -3_162_240_000))
    }
}
