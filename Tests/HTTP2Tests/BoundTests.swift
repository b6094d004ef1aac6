import Codes
import Testing

@testable import HTTP2

@Suite struct BoundTests {
    @Test func responseBodyOverTheBoundIsNamed() throws {
        let loop = try Loopback()
        loop.serve = { server, event in
            guard case .request(let request) = event else { return }
            let size = request.path.last == UInt8(ascii: "0") ? 5_001 : 5_000
            server.respond(
                stream: request.stream, status: 200, headers: HeaderBlock(), body: [UInt8](repeating: 1, count: size))
        }
        var options = ClientOptions()
        options.maxResponseBytes = 5_000
        try #require(try loop.connect(options: options))
        #expect(loop.client.submit(makeRequest(0), tag: 0))
        #expect(loop.client.submit(makeRequest(1), tag: 1))
        #expect(loop.run { loop.reportedTags.count == 2 })
        #expect(loop.failures[0] == .responseTooLarge)
        #expect(loop.responses.map(\.tag) == [1])
        #expect(!loop.client.isClosed)
    }

    @Test func responseHeadersOverTheBoundAreNamed() throws {
        let loop = try Loopback()
        loop.serve = { server, event in
            guard case .request(let request) = event else { return }
            var headers = HeaderBlock()
            headers.append("x-filler", String(repeating: "a", count: 2_000))
            server.respond(stream: request.stream, status: 200, headers: headers, body: [])
        }
        var options = ClientOptions()
        options.maxHeaderBytes = 1_000
        try #require(try loop.connect(options: options))
        #expect(loop.client.submit(makeRequest(0), tag: 0))
        #expect(loop.run { loop.reportedTags.count == 1 })
        #expect(loop.failures[0] == .responseTooLarge)
    }

    @Test func requestBodyOverTheBoundIsReadAndMarked() throws {
        var options = ServerOptions()
        options.maxBodyBytes = 5_120
        let loop = try Loopback(options: options)
        loop.serve = answerOK
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(0, body: [UInt8](repeating: 1, count: 5_120)), tag: 0))
        #expect(loop.client.submit(makeRequest(1, body: [UInt8](repeating: 1, count: 200_000)), tag: 1))
        #expect(loop.run { loop.responses.count == 2 })
        for request in loop.requests {
            #expect(request.body.count == 5_120)
            #expect(request.bodyTooLarge == (request.path == Array("/3/device/1".utf8)))
        }
    }

    @Test func requestHeadersOverTheBoundAreRefused() throws {
        var options = ServerOptions()
        options.maxHeaderBytes = 500
        let loop = try Loopback(options: options)
        loop.serve = answerOK
        try #require(try loop.connect())
        var large = makeRequest(0)
        large[0] = [UInt8](repeating: 48, count: 1_000)
        #expect(loop.client.submit(large, tag: 0))
        #expect(loop.client.submit(makeRequest(1), tag: 1))
        #expect(loop.run { loop.reportedTags.count == 2 })
        #expect(loop.failures[0] == .unknown(errorCode: .internalError))
        #expect(loop.responses.map(\.tag) == [1])
        #expect(loop.servers[0].refusedStreams == 1)
    }

    @Test func manyResetsAreAllowedWhenConfigured() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        for round in 0..<4 {
            for tag in 0..<1_000 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(round * 1_000 + tag))) }
            #expect(loop.run { loop.requests.count == (round + 1) * 1_000 })
            for tag in 0..<1_000 { loop.client.cancel(tag: UInt64(round * 1_000 + tag)) }
            #expect(loop.run { loop.client.openStreams == 0 })
        }
        #expect(loop.reportedTags.count == 4_000)
        #expect(!loop.client.isClosed)
    }
}
