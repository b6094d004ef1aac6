import Testing

@testable import APNs

@Suite struct AnswerBodyTests {
    @Test func readsReasonAndTimestamp() {
        let gone = AnswerBody.reason(in: Array(#"{"reason":"Unregistered","timestamp":1789999000123}"#.utf8))
        #expect(gone.reason == "Unregistered")
        #expect(gone.timestampMilliseconds == 1_789_999_000_123)
        let spaced = AnswerBody.reason(in: Array(" {\n\"extra\" : [1,{\"a\":null}] , \"reason\" : \"Bad\\/X\" } ".utf8))
        #expect(spaced.reason == "Bad/X")
        #expect(spaced.timestampMilliseconds == nil)
    }

    @Test(arguments: [
        "", "Maximum active streams violated for this endpoint.", "{", "[]", "{}", "null", #"{"reason":7}"#,
        #"{"reason":"cut"#, #"{"timestamp":99999999999999999999}"#, #"{"timestamp":1.5}"#,
        "{\"reason\":\"\\uZZZZ\"}",
    ])
    func textThatIsNoErrorBodyGivesNothing(text: String) {
        let found = AnswerBody.reason(in: Array(text.utf8))
        #expect(found.reason == nil)
        #expect(found.timestampMilliseconds == nil)
    }

    @Test func readsPolicies() {
        let apple = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
        #expect(AnswerBody.storagePolicy(in: Array(apple.utf8)) == 1)
        #expect(AnswerBody.storagePolicy(in: Array("{\"message-storage-policy\":1".utf8)) == nil)
        #expect(AnswerBody.storagePolicy(in: Array("{}".utf8)) == nil)
    }

    @Test func readsLists() {
        #expect(AnswerBody.channels(in: []) == [])
        #expect(AnswerBody.channels(in: Array(#"{"channels":[]}"#.utf8)) == [])
        let two = #"{"channels":["dHN0LXNyY2gtY2hubA==","a\/b+c="]}"#
        #expect(AnswerBody.channels(in: Array(two.utf8)) == ["dHN0LXNyY2gtY2hubA==", "a/b+c="])
        for broken in [#"{"channels":["a""#, #"{"channels":["a"]"#, #"{"channels":[1]}"#, #"{"other":1}"#, "x"] {
            #expect(AnswerBody.channels(in: Array(broken.utf8)) == nil)
        }
    }

    @Test func deepNestingIsRefused() {
        let deep = "{\"a\":" + String(repeating: "[", count: 100_000)
        #expect(AnswerBody.channels(in: Array(deep.utf8)) == nil)
    }

    @Test func garbageNeverTraps() {
        var random = SmallRandom(seed: 11)
        let seeds = [
            #"{"channels":["dHN0LXNyY2gtY2hubA==","YWJj"],"x":{"y":[1,2,null,true]}}"#,
            #"{"reason":"Unreg\u0041istered\n","timestamp":-1789999000123}"#,
        ].map { Array($0.utf8) }
        for round in 0..<4000 {
            var bytes = seeds[round % 2]
            for _ in 0..<(1 + Int(random.next() % 6)) where !bytes.isEmpty {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.removeLast(min(bytes.count, place))
                }
            }
            _ = AnswerBody.reason(in: bytes)
            _ = AnswerBody.channels(in: bytes)
            _ = AnswerBody.storagePolicy(in: bytes)
        }
    }
}

/// SplitMix64, so that every run reads the same garbage.
struct SmallRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
