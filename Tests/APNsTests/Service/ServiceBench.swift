import Codes
import Delivery
import HTTP2
import LiveActivity
import Loops
import Testing

@testable import APNs

/// A whole `APNsService` in front of a scripted server.
struct ServiceBench {
    let app: TestApp
    let server: ScriptedServer
    let service: APNsService
    let reports = Lock<[LaneReport]>([])
    let notices = Lock<[APNsNotice]>([])

    init(
        names: [String] = ["localhost"], caOf other: TestApp? = nil, connections: Int = 1,
        options: ServerOptions = ServerOptions(), change: (inout APNsSettings) -> Void = { _ in },
        script: @escaping ScriptedServer.Script
    ) throws {
        app = try TestApp()
        server = try ScriptedServer(authority: app.authority, names: names, options: options, script: script)
        var settings = (other ?? app).settings(port: server.port, connections: connections)
        settings.apps[0].connectionBurst = 1000
        change(&settings)
        service = try APNsService(settings: settings) { [notices] notice in notices.withLock { $0.append(notice) } }
        service.start { [reports] batch in reports.withLock { $0 += batch } }
    }

    func stop() {
        service.stop(deadlineMilliseconds: 0)
        server.stop()
    }

    /// Reports of one kind so far.
    func count(_ outcome: (LaneReport.Outcome) -> Bool) -> Int {
        reports.withLock { $0.filter { outcome($0.outcome) }.count }
    }

    var acceptedCount: Int { count { $0 == .accepted } }

    /// Offers `numbers` as updates to tokens of their own, and checks that all were taken.
    func offer(_ numbers: Range<Int>, kind: Destination.Kind = .token, sequence: UInt64 = 1) {
        let batch = numbers.map {
            LaneOffer(item: item(ticket: UInt64($0), sequence), destination: destination($0, kind))
        }
        #expect(service.offer(batch).isEmpty)
    }

    func destination(_ number: Int, _ kind: Destination.Kind = .token) -> Destination {
        let text = String(number, radix: 16)
        return Destination(
            kind: kind, app: 0, address: Array((String(repeating: "0", count: 64 - text.utf8.count) + text).utf8))
    }

    func item(ticket: UInt64, _ sequence: UInt64 = 1, important: Bool = false) -> PushItem {
        PushItem(
            ticket: ticket, sequence: sequence, stampSeconds: Clock.wallMilliseconds() / 1000, event: .update,
            important: important, quiet: false, priority: 10, expirationSeconds: 0, expiresAtMilliseconds: nil,
            payload: Array(#"{"aps":{"event":"update","content-state":{"n":\#(sequence)}}}"#.utf8),
            layout: PayloadLayout(stampOffset: 8, stampLength: 0, stampInsertion: .beforeMembers))
    }
}

extension ServerRequest {
    var identifier: String { headers.text("apns-id") ?? headers.text("apns-request-id") ?? "" }
    var pathText: String { String(decoding: path, as: UTF8.self) }
    var bodyText: String { String(decoding: body, as: UTF8.self) }
}
