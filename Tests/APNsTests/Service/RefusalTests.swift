import Codes
import Delivery
import HTTP2
import LiveActivity
import Loops
import Testing

@testable import APNs

@Suite struct RefusalTests {
    private func firstOutcome(status: Int, body: String) throws -> (LaneReport.Outcome?, [APNsNotice]) {
        let bench = try ServiceBench { turn in
            for request in turn.requests { turn.respond(request, status, body: body) }
        }
        bench.offer(0..<1)
        expectSoon("there is an outcome") { bench.reports.withLock { !$0.isEmpty } }
        let outcome = bench.reports.withLock { $0.first?.outcome }
        bench.stop()
        return (outcome, bench.notices.withLock { $0 })
    }

    @Test func deadTokensComeWithApplesTimestamp() throws {
        let (outcome, _) = try firstOutcome(
            status: 410, body: #"{"reason":"Unregistered","timestamp":1789999000123}"#)
        #expect(
            outcome == .gone(status: 410, reason: "Unregistered", sinceMilliseconds: 1_789_999_000_123))
    }

    @Test func badDeviceTokenNamesBothEnvironments() throws {
        let (outcome, notices) = try firstOutcome(status: 400, body: #"{"reason":"BadDeviceToken"}"#)
        #expect(outcome == .gone(status: 400, reason: "BadDeviceToken", sinceMilliseconds: nil))
        let notice = notices.first { $0.fault.code == .wrongEnvironment }
        #expect(notice?.fault.detail.contains("simulator") == true)
        #expect(notice?.fault.detail.contains("production") == true)
    }

    @Test func tooLargeIsFinal() throws {
        let (outcome, _) = try firstOutcome(status: 413, body: #"{"reason":"PayloadTooLarge"}"#)
        #expect(outcome == .failed(status: 413, reason: "PayloadTooLarge"))
    }

    @Test func retryAfterIsHonoured() throws {
        let arrivals = Lock<[Int64]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                arrivals.withLock { $0.append(Clock.monotonicNanoseconds()) }
                if arrivals.withLock({ $0.count }) == 1 {
                    turn.respond(
                        request, 429, fields: [("retry-after", "2")], body: Array(#"{"reason":"TooManyRequests"}"#.utf8)
                    )
                } else {
                    turn.respond(request)
                }
            }
        }
        bench.offer(0..<1)
        expectSoon("it is accepted") { bench.acceptedCount == 1 }
        let times = arrivals.withLock { $0 }
        try #require(times.count == 2)
        #expect(times[1] - times[0] >= 2_000_000_000)
        #expect(bench.count { $0 == .deferred(reason: "TooManyRequests") } == 1)
        bench.stop()
    }

    /// 403 ExpiredProviderToken on a fresh token: it may not be signed again for 20 minutes, so nothing must spin.
    @Test func expiredFreshTokenHoldsWithoutSpinning() throws {
        let arrivals = Lock<[String]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                arrivals.withLock { $0.append(request.headers.text("authorization") ?? "") }
                turn.respond(
                    request, 403, date: "Mon, 21 Sep 2026 14:13:20 GMT", body: #"{"reason":"ExpiredProviderToken"}"#)
            }
        }
        bench.offer(0..<100)
        expectSoon("it is said") { bench.notices.withLock { $0.contains { $0.fault.code == .clockSkew } } }
        for round in 0..<20 {
            bench.offer((1000 + round)..<(1001 + round))
            bench.server.each { _ in }
        }
        expectSoon("the figures are published") { !bench.service.statistics().apps[0].refused.isEmpty }
        #expect(arrivals.withLock { $0.count } <= 2)
        #expect(bench.service.statistics().apps[0].tokensSigned == 1)
        #expect(bench.service.statistics().clockSkewSeconds != 0)
        let codes = bench.notices.withLock { $0.map(\.fault.code) }
        #expect(codes.filter { $0 == .providerTokenRefused }.count == 1)
        bench.stop()
    }

    @Test func wrongAuthorityAndWrongNameAreSaidOnce() throws {
        let stranger = try TestApp()
        let untrusted = try ServiceBench(caOf: stranger) { _ in }
        untrusted.offer(0..<10)
        expectSoon("it is said") { untrusted.notices.withLock { !$0.isEmpty } }
        expectSoon("it tries again") { untrusted.server.acceptedCount >= 3 }
        #expect(untrusted.notices.withLock { $0.map(\.fault.code) } == [.unknownAuthority])
        untrusted.stop()
        let misnamed = try ServiceBench(names: ["other.example"]) { _ in }
        expectSoon("it is said") { misnamed.notices.withLock { $0.map(\.fault.code) } == [.wrongServerName] }
        misnamed.stop()
    }

    @Test func goAwayReasonsAreSaid() throws {
        let bench = try ServiceBench { turn in
            for request in turn.requests { turn.respond(request) }
        }
        bench.offer(0..<1)
        expectSoon("it is accepted") { bench.acceptedCount == 1 }
        bench.server.each { $0.goAway(debugData: #"{"reason":"BadCertificateEnvironment"}"#) }
        expectSoon("it is said") {
            bench.notices.withLock { $0.contains { $0.fault.detail.contains("BadCertificateEnvironment") } }
        }
        bench.stop()
    }

    @Test func unknownAppsAndForeignLayoutsFailByName() throws {
        let bench = try ServiceBench { turn in
            for request in turn.requests { turn.respond(request) }
        }
        var broken = bench.item(ticket: 1)
        broken.layout.stampOffset = 60_000
        let strange = Destination(kind: .token, app: 7, address: [0x61])
        #expect(
            bench.service.offer([
                LaneOffer(item: broken, destination: bench.destination(1)),
                LaneOffer(item: bench.item(ticket: 2), destination: strange),
            ]).isEmpty)
        expectSoon("both fail") { bench.reports.withLock { $0.count } == 2 }
        #expect(bench.count { $0 == .failed(status: 400, reason: "LayoutMismatch") } == 1)
        #expect(bench.count { $0 == .failed(status: 0, reason: "unknown app") } == 1)
        bench.stop()
    }

    @Test func missingKeyIsAFaultAtOnce() throws {
        let app = try TestApp()
        var settings = app.settings(port: 1)
        settings.apps[0].keyFile = "/nowhere.p8"
        #expect(throws: Fault(.providerKeyMissing, "No such file or directory", at: "/nowhere.p8")) {
            try APNsService(settings: settings)
        }
    }
}
