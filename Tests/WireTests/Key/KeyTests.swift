import Testing
import Wire

@Suite struct KeyTests {
    @Test func partsComeBackFromTheBytes() throws {
        let key = try #require(Key(app: "shop", kind: .activity, name: "order/größe", instance: 70_000, partition: 9))
        #expect(key.app == "shop")
        #expect(key.kind == .activity)
        #expect(key.name == "order/größe")
        #expect(key.instance == 70_000)
        #expect(key.partition == 9)
        #expect(Array(key.appBytes) == Array("shop".utf8))
        #expect(Array(key.ownNameBytes) == Array("order/größe".utf8))
        #expect(key.description == "shop/activity/order/größe#70000")
    }

    @Test func anotherInstanceDiffersInFourBytesOnly() throws {
        let key = try Samples.key()
        let next = key.with(instance: 0x0102_0304)
        #expect(next.instance == 0x0102_0304)
        #expect(next.nameBytes == key.nameBytes)
        #expect(next.with(instance: 1) == key)
        #expect(key.with(instance: 0) == key)
    }

    @Test func lengthsAreBounded() {
        #expect(Key(app: "", kind: .channel, name: "n") == nil)
        #expect(Key(app: "a", kind: .channel, name: "") == nil)
        #expect(Key(app: "a", kind: .channel, name: "n", instance: 0) == nil)
        #expect(Key(app: String(repeating: "a", count: 128), kind: .channel, name: "n") != nil)
        #expect(Key(app: String(repeating: "a", count: 129), kind: .channel, name: "n") == nil)
        #expect(Key(app: "a", kind: .channel, name: String(repeating: "n", count: 200)) != nil)
        #expect(Key(app: "a", kind: .channel, name: String(repeating: "n", count: 201)) == nil)
    }

    @Test func everyCutAndEveryChangedLengthIsRefusedOrReadWhole() throws {
        let key = try Samples.key()
        for count in 0..<key.bytes.count { #expect(Key(bytes: Array(key.bytes[..<count])) == nil) }
        #expect(Key(bytes: key.bytes + [0]) == nil)
        for index in key.bytes.indices {
            for value in [UInt8(0), 1, 3, 0x7f, 0x80, 0xff] {
                var bytes = key.bytes
                bytes[index] = value
                guard let read = Key(bytes: bytes) else { continue }
                #expect(read.bytes == bytes)
                #expect(read.instance > 0 && !read.app.isEmpty && !read.name.isEmpty)
            }
        }
    }

    @Test func eventIDsAreBytesNotText() throws {
        #expect(EventID("") == nil)
        #expect(EventID(String(repeating: "i", count: 65)) == nil)
        #expect(EventID("a\nb") == nil)
        #expect(EventID(bytes: [0xff]) == nil)
        let composed = try #require(EventID("\u{e9}"))
        let decomposed = try #require(EventID("e\u{301}"))
        #expect(composed != decomposed)
    }

    @Test func tokensAreHexadecimalAndNeverShown() throws {
        let token = try #require(PushToken("AB00cd11ef22ab33cd44ef55"))
        #expect(String(decoding: token.digits, as: UTF8.self) == "ab00cd11ef22ab33cd44ef55")
        #expect("\(token)" == "ab00…55" && "\([token])" == "[ab00…55]")
        #expect(PushToken("abc") == nil)
        #expect(PushToken("zz") == nil)
        #expect(PushToken("") == nil)
        #expect(PushToken(String(repeating: "a", count: 512)) != nil)
        #expect(PushToken(String(repeating: "a", count: 514)) == nil)
        #expect(PushToken("ab").map { "\($0)" } == "…")
    }
}
