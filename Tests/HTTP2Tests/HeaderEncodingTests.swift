import Codes
import Testing

@testable import HTTP2

/// The client's own header encoder against nghttp2's decoder on the other end of a real connection.
@Suite struct HeaderEncodingTests {
    private struct Expectation {
        let path: [UInt8]
        let fields: [String]
    }

    private func text(_ random: inout SplitMix64, _ most: Int) -> String {
        String(decoding: random.bytes(Int(random.next() % UInt64(most)) + 1).map { 33 + $0 % 90 }, as: UTF8.self)
    }

    private func template(_ number: Int, _ random: inout SplitMix64) -> (RequestTemplate, [String]) {
        var fields: [RequestTemplate.Field] = []
        var seen: [String] = []
        for index in 0..<Int(random.next() % 8) {
            let value = text(&random, 200)
            let name = ["content-type", "authorization", "x-\(number)-\(index)"][Int(random.next() % 3)]
            fields.append(.fixed(name, value, indexing: random.next() % 4 == 0 ? .never : .table))
            seen.append("\(name): \(value)")
        }
        fields.append(.variable("x-number"))
        fields.append(.variable("x-secret", indexing: .never))
        fields.append(.variable("authorization", indexing: .never))
        let methods = ["GET", "POST", "DELETE"]
        return (RequestTemplate(method: methods[number % 3], authority: "host\(number % 2)", fields: fields), seen)
    }

    /// More templates than are kept encoded, more fields than fit the table, and a table that shrinks on the way.
    @Test(arguments: [4_096, 0, 64, 8_192])
    func randomBlocksAreDecoded(laterTableSize: Int) throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        var random = SplitMix64(state: 11)
        let templates = (0..<50).map { template($0, &random) }
        var expected: [Expectation] = []
        for round in 0..<12 {
            if round == 6 {
                loop.servers[0].setHeaderTableSize(laterTableSize)
                #expect(loop.run { loop.limits.count == 2 })
            }
            for _ in 0..<60 {
                let (template, fixed) = templates[Int(random.next() % (round % 2 == 0 ? 50 : 3))]
                var request = ClientRequest(
                    template: template, path: Array("/\(text(&random, 300))".utf8), body: [])
                var fields = fixed
                for (slot, name) in ["x-number", "x-secret", "authorization"].enumerated() where random.next() % 3 != 0
                {
                    let value = text(&random, 250)
                    request[slot] = Array(value.utf8)
                    fields.append("\(name): \(value)")
                }
                expected.append(Expectation(path: request.path, fields: fields))
                #expect(loop.client.submit(request, tag: UInt64(expected.count)))
            }
            #expect(loop.run { loop.responses.count == expected.count || loop.client.isClosed })
        }
        try #require(loop.requests.count == expected.count, "\(loop.closedFault?.description ?? "open")")
        for (request, expected) in zip(loop.requests, expected) {
            #expect(request.path == expected.path)
            #expect(request.headers.fields.map { "\($0.name): \($0.value)" } == expected.fields)
        }
    }

    @Test func tooLongValuesAreReportedAtOnce() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        let template = makeTemplate()
        let longest = ClientRequest(template: template, path: [UInt8](repeating: 47, count: 8_192))
        let longer = ClientRequest(template: template, path: [UInt8](repeating: 47, count: 8_193))
        #expect(loop.client.submit(longest, tag: 1))
        #expect(loop.client.submit(longer, tag: 2))
        #expect(loop.run { loop.reportedTags.count == 2 })
        #expect(loop.responses.map(\.tag) == [1])
        #expect(loop.failures[2] == .unprocessed)
    }

    @Test func integersHavePrefixes() {
        func encode(_ value: Int, _ prefix: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            HPACKInteger.append(value, prefix: prefix, pattern: 0, to: &bytes)
            return bytes
        }
        // The examples of RFC 7541 C.1.
        #expect(encode(10, 5) == [10])
        #expect(encode(1_337, 5) == [31, 154, 10])
        #expect(encode(42, 8) == [42])
        #expect(encode(127, 7) == [127, 0])
    }
}
