import Testing

@testable import HTTP2

@Suite struct HeaderBlockTests {
    @Test func fieldsAreFoundByName() {
        var block = HeaderBlock()
        #expect(block["apns-id"] == nil)
        #expect(block.fields.isEmpty)
        block.append("apns-id", "one")
        block.append("retry-after", "")
        block.append("apns-id", Array("two".utf8))
        #expect(block.count == 3)
        #expect(block.text("apns-id") == "one")
        #expect(block.text("retry-after") == "")
        #expect(block.text("apns") == nil)
        #expect(block.fields.map(\.name) == ["apns-id", "retry-after", "apns-id"])
        #expect(block.fields.map(\.value) == ["one", "", "two"])
    }

    @Test func longFieldsAreLeftOut() {
        var block = HeaderBlock()
        block.append("a", [UInt8](repeating: 65, count: 65_535))
        block.append("b", [UInt8](repeating: 65, count: 65_536))
        #expect(block.count == 1)
        #expect(block["a"]?.count == 65_535)
        #expect(block["b"] == nil)
    }

    @Test func statusesHaveThreeDigits() {
        let parse = { (text: String) in Array(text.utf8).withUnsafeBufferPointer { parseStatus($0) } }
        #expect(parse("200") == 200)
        #expect(parse("20") == nil)
        #expect(parse("2000") == nil)
        #expect(parse("2x0") == nil)
        #expect(parse("") == nil)
    }
}
