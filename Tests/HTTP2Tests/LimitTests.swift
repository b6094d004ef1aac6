import Codes
import Testing

@testable import HTTP2

@Suite struct LimitTests {
    @Test func oneStreamIsAssumedUntilSettings() throws {
        let loop = try Loopback()
        loop.serverPaused = true
        loop.client = try ClientConnection(
            context: TLSClientContext(TLSClientSettings()), serverName: "localhost", address: loop.listener.address)
        #expect(loop.client.peerMaxConcurrentStreams == 1)
    }

    @Test func limitOfSettingsIsObeyedAndCut() throws {
        var options = ServerOptions()
        options.maxConcurrentStreams = 3
        let loop = try Loopback(options: options)
        try #require(try loop.connect())
        #expect(loop.limits == [3])
        for tag in 0..<3 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(!loop.client.canSubmit)
        #expect(!loop.client.submit(makeRequest(9), tag: 9))
        #expect(loop.run { loop.requests.count == 3 })
        loop.servers[0].setMaxConcurrentStreams(5_000)
        #expect(loop.run { loop.limits.count == 2 })
        #expect(loop.limits == [3, 1_000], "cut to maxOpenStreams")
        #expect(loop.client.canSubmit)
    }

    @Test func thousandStreamsOverChangingLimits() throws {
        let loop = try Loopback()
        let limits = [1, 1_000, 0, 250, 1, 1_000, 0, 1_000]
        let total = 4_000
        var step = 0
        var answered = 0
        var open = 0
        var most = 0
        loop.serve = { server, event in
            if case .request(let request) = event {
                open += 1
                most = max(most, open)
                server.respond(stream: request.stream, status: 200, headers: HeaderBlock(), body: [])
                answered += 1
                if answered % 100 == 0 {
                    step += 1
                    server.setMaxConcurrentStreams(limits[step % limits.count])
                }
            }
            if case .streamClosed = event { open -= 1 }
        }
        try #require(try loop.connect())
        var next: UInt64 = 0
        var retry: [UInt64] = []
        var seen = 0
        var stuckAtZero = 0
        let finished = loop.run {
            while seen < loop.clientEvents.count {
                if case .streamFailed(let tag, let failure) = loop.clientEvents[seen] {
                    if failure == .unprocessed { retry.append(tag) } else { Issue.record("\(tag): \(failure)") }
                }
                seen += 1
            }
            while loop.client.canSubmit, !retry.isEmpty || next < total {
                let tag = retry.popLast() ?? next
                if tag == next { next += 1 }
                guard loop.client.submit(makeRequest(Int(tag)), tag: tag) else { break }
            }
            if loop.client.peerMaxConcurrentStreams == 0, loop.client.openStreams == 0 {
                stuckAtZero += 1
                loop.servers[0].setMaxConcurrentStreams(1_000)
            }
            return loop.responses.count == total
        }
        #expect(finished, "\(loop.responses.count) of \(total), limit \(loop.client.peerMaxConcurrentStreams)")
        #expect(Set(loop.responses.map(\.tag)).count == total, "each exactly once")
        #expect(loop.limits.contains(0) && loop.limits.contains(1) && loop.limits.contains(1_000))
        #expect(stuckAtZero > 0, "the limit 0 was reached")
        #expect(most <= 1_000)
        #expect(!loop.client.isClosed)
    }

    @Test func requestsQueuedWhenTheLimitFallsAreKeptOrCancelled() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        loop.servers[0].setMaxConcurrentStreams(0)
        var events: [ServerEvent] = []
        loop.servers[0].flush(into: &events)
        // Submitted in the same turn in which the lower limit arrives: nghttp2 holds them back.
        for tag in 0..<10 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.run { loop.limits.last == 0 })
        loop.serve = answerOK
        #expect(loop.run { loop.client.openStreams + loop.reportedTags.count == 10 })
        for tag in 0..<10 { loop.client.cancel(tag: UInt64(tag)) }
        #expect(loop.run { loop.reportedTags.count == 10 })
        #expect(Set(loop.reportedTags).count == 10)
        for (tag, failure) in loop.failures where failure != .unprocessed {
            #expect(failure == .unknown(errorCode: .cancel), "\(tag)")
        }
    }

    @Test func streamIdentifiersRunOut() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        var options = ClientOptions()
        options.maxStreamID = 7
        try #require(try loop.connect(options: options))
        for tag in 0..<4 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.client.isExhausted)
        #expect(!loop.client.canSubmit)
        #expect(!loop.client.submit(makeRequest(4), tag: 4))
        #expect(loop.run { loop.responses.count == 4 })
        loop.client.shutdown()
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.closedFault == nil)
    }

    @Test func openStreamsAreBoundedOnTheServer() throws {
        var options = ServerOptions()
        options.maxOpenStreams = 2
        let loop = try Loopback(options: options)
        try #require(try loop.connect())
        for tag in 0..<5 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.run { loop.failures.count == 3 })
        #expect(loop.failures.values.allSatisfy { $0 == .unprocessed })
        #expect(loop.servers[0].refusedStreams == 3)
        for request in loop.requests {
            loop.servers[0].respond(stream: request.stream, status: 200, headers: HeaderBlock(), body: [])
        }
        #expect(loop.run { loop.responses.count == 2 })
    }
}
