import CLinux
import Codes
import Testing

@testable import HTTP2

@Suite struct LossTests {
    @Test func cutConnectionSeparatesSentFromUnsent() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        for tag in 0..<5 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.run { loop.requests.count == 5 })
        var events: [ServerEvent] = []
        loop.servers[0].close(into: &events)
        // Never flushed: these cannot have been acted on.
        for tag in 5..<8 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        var seen: [ClientEvent] = []
        #expect(
            loop.run {
                loop.client.ready(readable: true, writable: false, into: &seen)
                return loop.client.isClosed
            })
        loop.clientEvents += seen
        for tag in 0..<5 { #expect(loop.failures[UInt64(tag)] == .unknown(errorCode: .noError)) }
        #expect(loop.reportedTags.sorted() == Array(0..<8))
        #expect(loop.closedFault?.code == .connectionLost)
        guard case .closed = loop.clientEvents.last else {
            Issue.record("closed is not the last event")
            return
        }
    }

    @Test func requestsThatWereOnlyStagedAreUnprocessed() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        for tag in 0..<3 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        loop.client.close(into: &loop.clientEvents)
        #expect(loop.client.isClosed)
        #expect(loop.failures.count == 3)
        #expect(loop.failures.values.allSatisfy { $0 == .unprocessed })
        #expect(loop.closedFault == nil)
        var more: [ClientEvent] = []
        loop.client.close(into: &more)
        loop.client.flush(into: &more)
        loop.client.ready(readable: true, writable: true, into: &more)
        #expect(more.isEmpty, "nothing after closed")
        #expect(!loop.client.submit(makeRequest(), tag: 9))
    }

    @Test func anAbandonedConnectionLetsNothingMoreLeave() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        #expect(!loop.client.hasUnsentRequests)
        for tag in 0..<2 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.client.hasUnsentRequests)
        #expect(loop.run { loop.responses.count == 2 })
        #expect(!loop.client.hasUnsentRequests)
        // More than the socket takes while nobody reads: some of it is encrypted and waits.
        loop.serverPaused = true
        let big = [UInt8](repeating: 1, count: 60_000)
        for tag in 2..<90 { #expect(loop.client.submit(makeRequest(tag, body: big), tag: UInt64(tag))) }
        for _ in 0..<5 { loop.turn() }
        #expect(loop.client.hasUnsentRequests)
        loop.client.abandon(into: &loop.clientEvents)
        #expect(loop.client.isClosed && !loop.client.hasUnsentRequests)
        #expect(loop.reportedTags.sorted() == Array(0..<90))
        let unprocessed = loop.failures.values.filter { $0 == .unprocessed }.count
        #expect(unprocessed > 0)
        loop.serverPaused = false
        #expect(loop.run { loop.servers[0].isClosed })
        // What arrived whole is not among those that are said never to have left.
        for request in loop.requests.dropFirst(2) {
            let tag = UInt64(String(decoding: request.path, as: UTF8.self).dropFirst("/3/device/".count)) ?? 0
            #expect(loop.failures[tag] != .unprocessed)
        }
    }

    @Test func aRequestWhoseBodyDidNotLeaveIsUnprocessed() throws {
        var options = ServerOptions()
        options.streamWindow = 1_000
        let loop = try Loopback(options: options)
        try #require(try loop.connect())
        loop.serverPaused = true
        #expect(loop.client.submit(makeRequest(body: [UInt8](repeating: 1, count: 50_000)), tag: 1))
        for _ in 0..<5 { loop.turn() }
        shutdown(loop.servers[0].descriptor, Int32(SHUT_RDWR))
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.failures[1] == .unprocessed)
    }

    @Test func anAnswerThatArrivedWholeIsReportedDespiteTheLoss() throws {
        let loop = try Loopback()
        loop.serve = { server, event in
            answerOK(server, event)
            var events: [ServerEvent] = []
            if case .request = event {
                server.flush(into: &events)
                server.close(into: &events)
            }
        }
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.responses.map(\.tag) == [1])
        #expect(loop.failures.isEmpty)
    }

    @Test func aRefusedPortIsAConnectFault() throws {
        let port = try Listener(host: "127.0.0.1", port: 0).port
        let address = try #require(try SocketAddress.resolve(host: "127.0.0.1", port: port).first)
        let context = try TLSClientContext(TLSClientSettings())
        var fault: Fault?
        do throws(Fault) {
            let client = try ClientConnection(context: context, serverName: "localhost", address: address)
            var events: [ClientEvent] = []
            client.ready(readable: false, writable: true, into: &events)
            if case .closed(let reason) = events.last { fault = reason }
        } catch {
            fault = error
        }
        #expect(fault?.code == .connectFailed)
    }

    @Test func unknownHostsAreAResolveFault() {
        #expect {
            try SocketAddress.resolve(host: "no-such-host.invalid", port: 1)
        } throws: { ($0 as? Fault)?.code == .resolveFailed }
    }
}
