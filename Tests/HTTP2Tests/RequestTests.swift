import Codes
import Testing

@testable import HTTP2

@Suite struct RequestTests {
    @Test func requestAndResponseArriveWhole() throws {
        let loop = try Loopback()
        loop.serve = { server, event in
            guard case .request(let request) = event else { return }
            var headers = HeaderBlock()
            headers.append("apns-id", "one")
            server.respond(stream: request.stream, status: 410, headers: headers, body: Array("gone".utf8))
        }
        try #require(try loop.connect())
        var request = makeRequest(7, body: Array("{\"aps\":1}".utf8))
        request[0] = Array("1700000000".utf8)
        #expect(loop.client.submit(request, tag: 42))
        #expect(loop.run { loop.responses.count == 1 })
        let response = loop.responses[0]
        #expect(response.tag == 42)
        #expect(response.status == 410)
        #expect(response.headers.text("apns-id") == "one")
        #expect(response.body == Array("gone".utf8))
        let seen = loop.requests[0]
        #expect(seen.method == Array("POST".utf8))
        #expect(seen.path == Array("/3/device/7".utf8))
        #expect(seen.body == Array("{\"aps\":1}".utf8))
        #expect(seen.headers.text("apns-expiration") == "1700000000")
        #expect(seen.headers.text("apns-id") == nil, "an empty variable value leaves the field out")
        #expect(seen.headers.text("authorization") == "bearer abc.def.ghi")
        #expect(loop.client.openStreams == 0)
    }

    @Test func connectedNamesTLSAndProtocol() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        guard case .connected(let info) = loop.clientEvents[0] else {
            Issue.record("first event: \(loop.clientEvents[0])")
            return
        }
        #expect(info.tlsVersion == "TLSv1.3")
        #expect(info.applicationProtocol == "h2")
        #expect(!info.cipher.isEmpty)
    }

    @Test func requestWithoutBodyEndsWithItsHeaders() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        let template = RequestTemplate(method: "GET", authority: "localhost", fields: [])
        #expect(loop.client.submit(ClientRequest(template: template, path: Array("/1/apps".utf8)), tag: 1))
        #expect(loop.run { loop.responses.count == 1 })
        #expect(loop.requests[0].body.isEmpty)
        #expect(loop.requests[0].method == Array("GET".utf8))
    }

    @Test func templatesAreReusedForDifferentValues() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        let template = makeTemplate()
        #expect(template.slot("apns-id") == 1)
        for number in 0..<200 {
            var request = ClientRequest(template: template, path: Array("/\(number)".utf8), body: [UInt8(number)])
            request[0] = Array("\(number)".utf8)
            if number % 2 == 0 { request[1] = Array("id-\(number)-with-some-length".utf8) }
            #expect(loop.client.submit(request, tag: UInt64(number)))
        }
        #expect(loop.run { loop.responses.count == 200 })
        for (number, request) in loop.requests.enumerated() {
            #expect(request.path == Array("/\(number)".utf8))
            #expect(request.body == [UInt8(number)])
            #expect(request.headers.text("apns-expiration") == "\(number)")
            #expect(request.headers.text("apns-id") == (number % 2 == 0 ? "id-\(number)-with-some-length" : nil))
        }
    }

    @Test func largeBodiesPassTheDefaultWindow() throws {
        var options = ServerOptions()
        options.maxBodyBytes = 1 << 20
        options.connectionWindow = 65_535
        let loop = try Loopback(options: options)
        loop.serve = answerOK
        try #require(try loop.connect())
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for tag in 0..<3 { #expect(loop.client.submit(makeRequest(tag, body: body), tag: UInt64(tag))) }
        #expect(loop.run { loop.responses.count == 3 })
        #expect(loop.requests.allSatisfy { $0.body == body })
    }

    @Test func largeResponsesArriveWhole() throws {
        let loop = try Loopback()
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        loop.serve = { server, event in
            guard case .request(let request) = event else { return }
            server.respond(stream: request.stream, status: 200, headers: HeaderBlock(), body: body)
        }
        try #require(try loop.connect())
        for tag in 0..<4 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.run { loop.responses.count == 4 })
        #expect(loop.responses.allSatisfy { $0.body == body })
    }

    @Test func pingIsAnswered() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        loop.client.ping()
        #expect(
            loop.run {
                loop.clientEvents.contains { if case .pong(let nanoseconds) = $0 { nanoseconds > 0 } else { false } }
            })
    }

    @Test func cancelReportsTheTagOnce() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 5))
        #expect(loop.run { loop.requests.count == 1 })
        loop.client.cancel(tag: 5)
        loop.client.cancel(tag: 6)
        #expect(loop.run { loop.failures.count == 1 })
        #expect(loop.failures[5] == .unknown(errorCode: .cancel))
        let cancelled = { (event: ServerEvent) in
            if case .streamClosed(_, let code) = event { code == .cancel } else { false }
        }
        #expect(loop.run { loop.serverEvents[0].contains(where: cancelled) })
        loop.serve = answerOK
        #expect(loop.client.submit(makeRequest(), tag: 7))
        #expect(loop.run { loop.responses.count == 1 })
        #expect(loop.reportedTags == [5, 7])
    }

    @Test func cancelBeforeFlushIsUnprocessed() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 5))
        loop.client.cancel(tag: 5)
        #expect(loop.run { loop.failures.count == 1 })
        #expect(loop.failures[5] == .unprocessed)
        #expect(loop.requests.isEmpty)
    }

    @Test func submitIsRefusedBeforeTheConnectionIsThere() throws {
        let loop = try Loopback()
        let context = try TLSClientContext(TLSClientSettings())
        let client = try ClientConnection(
            context: context, serverName: "localhost", address: loop.listener.address)
        #expect(!client.canSubmit)
        #expect(!client.submit(makeRequest(), tag: 1))
        #expect(client.wantsWrite)
    }

    @Test func resetByServerIsUnknownUnlessRefused() throws {
        let loop = try Loopback()
        loop.serve = { server, event in
            guard case .request(let request) = event else { return }
            server.reset(stream: request.stream, code: request.path.last == 48 ? .refusedStream : .internalError)
        }
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(0), tag: 0))
        #expect(loop.client.submit(makeRequest(1), tag: 1))
        #expect(loop.run { loop.failures.count == 2 })
        #expect(loop.failures[0] == .unprocessed)
        #expect(loop.failures[1] == .unknown(errorCode: .internalError))
    }
}
