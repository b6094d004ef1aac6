import CLinux
import Codes
import Loops
import Testing

@testable import HTTP2

/// Servers that do what ours never does.
@Suite struct OddServerTests {
    private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    /// Sends bytes as if nghttp2's server had made them.
    private func send(_ bytes: [UInt8], _ loop: Loopback) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { try loop.servers[0].channel.stage(start, bytes.count) }
        }
        try loop.servers[0].channel.flush()
    }

    @Test func informationalResponsesAndTrailersAreNotTheAnswer() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.requests.count == 1 })
        let early = frame(1, 4, 1, [0x08, 3] + Array("103".utf8) + [0, 4] + Array("link".utf8) + [1, 120])
        let final = frame(1, 4, 1, [0x88, 0, 7] + Array("apns-id".utf8) + [1, 65])
        let body = frame(0, 0, 1, Array("hello".utf8))
        let trailers = frame(1, 5, 1, [0, 2] + Array("x-".utf8) + [1, 66])
        try send(early + final + body + trailers, loop)
        #expect(loop.run { loop.responses.count == 1 })
        let response = loop.responses[0]
        #expect(response.status == 200)
        #expect(response.headers.fields.map(\.name) == ["apns-id"])
        #expect(response.body == Array("hello".utf8))
    }

    @Test func aCompleteAnswerCountsEvenIfTheStreamIsResetAfterwards() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.requests.count == 1 })
        try send(frame(1, 5, 1, [0x88]) + frame(3, 0, 1, [0, 0, 0, 8]), loop)
        #expect(loop.run { loop.reportedTags.count == 1 })
        #expect(loop.responses.map(\.status) == [200])
    }

    @Test func headersWithoutAStatusFailTheStream() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.requests.count == 1 })
        try send(frame(1, 5, 1, [0, 1, 97, 1, 98]), loop)
        #expect(loop.run { loop.reportedTags.count == 1 })
        #expect(loop.failures[1] == .unknown(errorCode: .protocolError))
    }

    @Test func pongsThatNobodyAskedForAreIgnored() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        try send(frame(6, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8]), loop)
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.responses.count == 1 })
        #expect(!loop.clientEvents.contains { if case .pong = $0 { true } else { false } })
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"])
    func serversWithoutTLSAreAHandshakeFault(answer: String) throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let client = try ClientConnection(
            context: TLSClientContext(TLSClientSettings()), serverName: "localhost", address: listener.address)
        let poller = Poller()
        poller.add(client.descriptor, tag: 1, writable: true)
        poller.add(listener.descriptor, tag: 0)
        var events: [ClientEvent] = []
        let deadline = Clock.bootMilliseconds() + 20_000
        while !client.isClosed, Clock.bootMilliseconds() < deadline {
            poller.wait(milliseconds: 50) { readiness in
                if readiness.tag == 0, let accepted = try? listener.accept() {
                    let bytes = Array(answer.utf8)
                    _ = CLinux.send(accepted, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    close(accepted)
                } else if readiness.tag == 1 {
                    client.ready(readable: readiness.readable, writable: readiness.writable, into: &events)
                }
            }
            poller.change(client.descriptor, tag: 1, writable: client.wantsWrite)
        }
        guard case .closed(let fault) = events.last else {
            Issue.record("not closed")
            return
        }
        #expect(fault?.code == .tlsFailed, "\(fault?.description ?? "in order")")
    }
}
