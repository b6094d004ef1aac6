import Codes
import Testing

@testable import HTTP2

@Suite struct GoAwayTests {
    @Test func streamsAboveTheLastAreUnprocessedAndOthersGoOn() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        for tag in 0..<10 { #expect(loop.client.submit(makeRequest(tag), tag: UInt64(tag))) }
        #expect(loop.run { loop.requests.count == 10 })
        let last = loop.requests[3].stream
        loop.servers[0].goAway(
            lastStreamID: last, errorCode: .noError, debugData: Array("{\"reason\":\"Shutdown\"}".utf8))
        #expect(loop.run { loop.failures.count == 6 })
        for tag in 4..<10 { #expect(loop.failures[UInt64(tag)] == .unprocessed) }
        #expect(!loop.client.canSubmit)
        #expect(!loop.client.submit(makeRequest(11), tag: 11))
        for request in loop.requests {
            let answered = loop.servers[0].respond(
                stream: request.stream, status: 200, headers: HeaderBlock(), body: [])
            #expect(answered == (request.stream <= last))
        }
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.responses.map(\.tag).sorted() == [0, 1, 2, 3])
        #expect(loop.closedFault == nil)
        let goAway = loop.clientEvents.firstIndex { if case .goAway = $0 { true } else { false } }
        let failed = loop.clientEvents.firstIndex { if case .streamFailed = $0 { true } else { false } }
        #expect(try #require(goAway) < #require(failed), "GOAWAY is reported before what it takes away")
        guard case .goAway(let lastStream, let code, let debugData) = loop.clientEvents[try #require(goAway)] else {
            return
        }
        #expect(lastStream == last)
        #expect(code == .noError)
        #expect(debugData == Array("{\"reason\":\"Shutdown\"}".utf8))
    }

    /// What the promise "sent again exactly once, processed ones never" stands on.
    @Test func hundredRoundsLoseAndDoubleNothing() throws {
        var answered: [UInt64: Int] = [:]
        var pending: [UInt64] = []
        var next: UInt64 = 0
        for round in 0..<100 {
            let loop = try Loopback()
            var processed = 0
            loop.serve = { server, event in
                guard case .request(let request) = event else { return }
                if processed == round % 10 {
                    processed += 1
                    server.goAway(lastStreamID: max(0, request.stream - 2))
                } else if processed < round % 10 {
                    processed += 1
                    answerOK(server, event)
                }
            }
            try #require(try loop.connect())
            var batch = pending
            while batch.count < 20 {
                batch.append(next)
                next += 1
            }
            for tag in batch { #expect(loop.client.submit(makeRequest(Int(tag)), tag: tag)) }
            try #require(loop.run { loop.client.isClosed })
            #expect(loop.closedFault == nil)
            #expect(loop.reportedTags.sorted() == batch.sorted())
            for response in loop.responses { answered[response.tag, default: 0] += 1 }
            #expect(loop.failures.values.allSatisfy { $0 == .unprocessed })
            pending = loop.failures.keys.sorted()
        }
        #expect(answered.values.allSatisfy { $0 == 1 })
        #expect(Set(answered.keys).union(pending).count == Int(next))
    }

    @Test func requestsSubmittedButNotFlushedSurviveGoAwayAsUnprocessed() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        loop.servers[0].goAway()
        var events: [ServerEvent] = []
        loop.servers[0].flush(into: &events)
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.failures[1] == .unprocessed)
        #expect(loop.requests.isEmpty || loop.responses.isEmpty)
    }

    @Test func shutdownFinishesWhatIsOpen() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.requests.count == 1 })
        loop.client.shutdown()
        #expect(!loop.client.canSubmit)
        let leaves = { (event: ServerEvent) in if case .goAway = event { true } else { false } }
        #expect(loop.run { loop.serverEvents[0].contains(where: leaves) })
        loop.servers[0].respond(
            stream: loop.requests[0].stream, status: 200, headers: HeaderBlock(), body: [])
        #expect(loop.run { loop.client.isClosed && loop.servers[0].isClosed })
        #expect(loop.responses.map(\.tag) == [1])
        #expect(loop.closedFault == nil)
    }
}
