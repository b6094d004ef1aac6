import CBaseline
import CLinux
import Codes
import HTTP2
import Loops

/// The request of the transport benchmarks: a Live Activity update of usual size to one of 1000 devices.
struct RequestShape {
    let port: UInt16
    let tokens: [String]
    let body: [UInt8]
    let headers: [(name: String, value: String)]

    init(port: UInt16) {
        self.port = port
        var state: UInt64 = 42
        func digits(_ count: Int, of alphabet: [Character]) -> String {
            String(
                (0..<count).map { _ -> Character in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return alphabet[Int(state >> 33) % alphabet.count]
                })
        }
        let hex = Array("0123456789abcdef")
        let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        tokens = (0..<1_000).map { _ in digits(64, of: hex) }
        headers = [
            // As long as an ES256 token with key and team identifier.
            (
                "authorization",
                "bearer " + digits(48, of: base64) + "." + digits(48, of: base64) + "." + digits(86, of: base64)
            ),
            ("apns-topic", "com.example.cricket.push-type.liveactivity"), ("apns-push-type", "liveactivity"),
            ("apns-priority", "10"), ("apns-expiration", "1767225600"),
        ]
        let beginning =
            #"{"aps":{"timestamp":1767225600,"event":"update","content-state":{"home":"Sunrisers Hyderabad","away":"#
            + #""Kolkata Knight Riders","score":"113/10","overs":"18.3","striker":"Pat Cummins","bowler":"#
            + #""Andre Russell","#
            + #""last":[1,0,4,0,0,6],"target":114,"required":6.21,"note":"""#
        let end = #""},"relevance-score":75,"stale-date":1767229200}}"#
        let filler = 319 - beginning.utf8.count - end.utf8.count
        body = Array((beginning + String(repeating: "x", count: max(0, filler)) + end).utf8)
    }

    /// What h2load reads: addresses and body.
    func writeFiles(_ directory: String) {
        let addresses = tokens.map { "https://127.0.0.1:\(port)/3/device/\($0)\n" }.joined()
        writeFile(directory + "/uris", Array(addresses.utf8))
        writeFile(directory + "/body", body)
    }

    func removeFiles(_ directory: String) {
        for name in ["uris", "body"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }
}

/// One run of the HTTP2 module's client on this thread, closed loop.
final class TransportClient {
    private let load: TransportBenchmark.Load
    private let requests: [ClientRequest]
    private let poller = Poller()
    private var connections: [ClientConnection] = []
    private var blocked: [Bool] = []
    private var events: [ClientEvent] = []
    private var sent = 0
    private var answered = 0
    private var starts: [Int64]
    private var latencies: [Int64] = []

    init(_ server: NeutralServer, _ shape: RequestShape, _ load: TransportBenchmark.Load) throws(Fault) {
        self.load = load
        let template = RequestTemplate(
            method: "POST", authority: "127.0.0.1:\(shape.port)",
            fields: shape.headers.map { name, value in
                .fixed(name, value, indexing: name == "authorization" ? .never : .table)
            })
        requests = shape.tokens.map { token in
            ClientRequest(template: template, path: Array("/3/device/\(token)".utf8), body: shape.body)
        }
        starts = [Int64](repeating: 0, count: load.requests)
        latencies.reserveCapacity(load.requests)
        let context = try TLSClientContext(TLSClientSettings(authorities: .bytes(server.authority)))
        let addresses = try SocketAddress.resolve(host: "127.0.0.1", port: server.port)
        for index in 0..<load.connections {
            let connection = try ClientConnection(
                context: context, serverName: "127.0.0.1", address: addresses[0])
            poller.add(connection.descriptor, tag: UInt64(index), writable: true)
            connections.append(connection)
            blocked.append(true)
        }
    }

    /// Opens the connections, then measures until every request is answered.
    func run() throws(Fault) -> TransportBenchmark.Sample {
        while !connections.allSatisfy({ $0.isEstablished && $0.peerMaxConcurrentStreams > 1 }) {
            try turn(submits: false)
        }
        let start = Clock.monotonicNanoseconds()
        let cpu = crl_cpu_microseconds()
        for index in connections.indices { fill(index, now: start) }
        while answered < load.requests { try turn(submits: true) }
        let used = crl_cpu_microseconds() - cpu
        let wall = Double(Clock.monotonicNanoseconds() - start) / 1000
        latencies.sort()
        for connection in connections { connection.close(into: &events) }
        let count = Double(load.requests)
        return TransportBenchmark.Sample(
            cpu: used / count, wall: wall / count, p50: Double(latencies[latencies.count / 2]) / 1e6,
            p99: Double(latencies[latencies.count * 99 / 100]) / 1e6)
    }

    private func turn(submits: Bool) throws(Fault) {
        var ready: [Int] = []
        poller.wait(milliseconds: 1_000) { readiness in
            let index = Int(readiness.tag)
            connections[index].ready(readable: readiness.readable, writable: readiness.writable, into: &events)
            ready.append(index)
        }
        let now = Clock.monotonicNanoseconds()
        for event in events {
            switch event {
            case .response(let response):
                answered += 1
                latencies.append(now - starts[Int(response.tag)])
                if response.status != 200 { throw Fault(.protocolViolation, "status \(response.status)") }
            case .streamFailed(let tag, let failure): throw Fault(.connectionLost, "request \(tag): \(failure)")
            case .closed(let fault): throw fault ?? Fault(.connectionLost, "closed")
            default: break
            }
        }
        events.removeAll(keepingCapacity: true)
        for index in ready where submits { fill(index, now: now) }
        for index in ready { flush(index) }
    }

    private func fill(_ index: Int, now: Int64) {
        let connection = connections[index]
        while sent < load.requests, connection.openStreams < load.streams {
            starts[sent] = now
            guard connection.submit(requests[sent % requests.count], tag: UInt64(sent)) else { return }
            sent += 1
        }
        if answered == 0 { flush(index) }
    }

    private func flush(_ index: Int) {
        connections[index].flush(into: &events)
        let wants = connections[index].wantsWrite
        if wants != blocked[index] {
            blocked[index] = wants
            poller.change(connections[index].descriptor, tag: UInt64(index), writable: wants)
        }
    }
}
