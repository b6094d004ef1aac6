import APNs
import CBaseline
import CLinux
import Codes
import Delivery
import HTTP2
import LiveActivity
import Loops

/// CPU time per request through the batch interface of `APNs` (offer, lanes, pool, HTTP/2, reports, with both
/// crossings of threads) and of h2load, against the same server on the other core.
///
/// `carillon-bench batch [requests [rounds [connections [streams]]]]`. Goal: at most 1.0 of h2load.
enum BatchBenchmark {
    private static let goal = 1.0

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in try compare(TransportBenchmark.Load(arguments)) }
    }

    private static func compare(_ load: TransportBenchmark.Load) throws(Fault) -> Int32 {
        let server = try NeutralServer(cpu: 1)
        _ = crl_pin(0)
        let directory = makeDirectory()
        let shape = RequestShape(port: server.port)
        shape.writeFiles(directory)
        writeFile(directory + "/ca.pem", server.authority)
        try ProviderKey.generate().write(to: directory + "/key.p8")
        defer {
            unlink(directory + "/ca.pem")
            unlink(directory + "/key.p8")
            shape.removeFiles(directory)
        }
        var ours: [TransportBenchmark.Sample] = []
        var theirs: [TransportBenchmark.Sample] = []
        for _ in 0..<load.rounds {
            ours.append(try BatchClient(shape, directory, load).run())
            if let sample = TransportBenchmark.h2load(shape, directory, load) { theirs.append(sample) }
        }
        let shapeOfLoad = "\(load.connections) connections x \(load.streams) streams, \(load.requests) requests"
        print("\(shapeOfLoad), medians of \(load.rounds)")
        print("client      CPU µs/request   min     max     krps   p50 ms  p99 ms")
        TransportBenchmark.report("batch", ours)
        TransportBenchmark.report("h2load", theirs)
        print("peak memory: \(crl_peak_memory() / 1024) MiB")
        guard !theirs.isEmpty else {
            print("h2load did not run: apt-get install nghttp2-client")
            return 1
        }
        let ratio = TransportBenchmark.median(ours.map(\.cpu)) / TransportBenchmark.median(theirs.map(\.cpu))
        print(
            "batch / h2load: \(TransportBenchmark.decimals(ratio)) (goal: at most \(TransportBenchmark.decimals(goal)))"
        )
        return ratio <= goal ? 0 : 1
    }
}

/// One run: this thread plays the core, offers batches and waits for reports.
private final class BatchClient {
    /// Where the first timestamp digit of the payload of `RequestShape` lies.
    private static let layout = PayloadLayout(stampOffset: 20, stampLength: 10, stampInsertion: .replace)

    private let load: TransportBenchmark.Load
    private let service: APNsService
    private let reports = Mailbox<[LaneReport]>(capacity: 1_000_000)
    private let poller = Poller()
    private let destinations: [Destination]
    private let body: [UInt8]
    private var offered = 0
    private var settled = 0
    private var batch: [[LaneReport]] = []

    init(_ shape: RequestShape, _ directory: String, _ load: TransportBenchmark.Load) throws(Fault) {
        self.load = load
        body = shape.body
        // A lane has one request under way: enough lanes that each is free when its turn comes again.
        destinations = (0..<4).flatMap { round in
            shape.tokens.map { token in
                Destination(kind: .token, app: 0, address: Array((token.dropLast() + String(round, radix: 16)).utf8))
            }
        }
        let endpoint = APNsEndpoint(host: "127.0.0.1", port: shape.port)
        let settings = APNsSettings(apps: [
            APNsApp(
                bundleID: "com.example.cricket", environment: .simulator, keyFile: directory + "/key.p8",
                keyID: "ABC123DEFG", teamID: "DEF123GHIJ", send: endpoint, manage: endpoint,
                caFile: directory + "/ca.pem", connections: load.connections, streamsPerConnection: load.streams)
        ])
        service = try APNsService(settings: settings) { print("notice: \($0.fault)") }
        poller.add(reports.wakeup.descriptor, tag: 0)
    }

    /// Opens all connections, then measures until every request is answered.
    func run() throws(Fault) -> TransportBenchmark.Sample {
        let mailbox = reports
        service.start { mailbox.post($0) }
        try warmUp()
        let start = Clock.monotonicNanoseconds()
        let cpu = crl_cpu_microseconds()
        try settle(count: load.requests)
        let used = crl_cpu_microseconds() - cpu
        let wall = Double(Clock.monotonicNanoseconds() - start) / 1000
        service.stop(deadlineMilliseconds: 0)
        let app = service.statistics().apps[0]
        let count = Double(load.requests)
        return TransportBenchmark.Sample(
            cpu: used / count, wall: wall / count, p50: Double(app.latencyNanosecondsP50) / 1e6,
            p99: Double(app.latencyNanosecondsP99) / 1e6)
    }

    /// Sends until all connections are open and every lane was used.
    private func warmUp() throws(Fault) {
        let deadline = Clock.bootMilliseconds() + 60_000
        repeat {
            try settle(count: destinations.count)
            guard Clock.bootMilliseconds() < deadline else {
                throw Fault(.apnsUnreachable, "not all connections were opened")
            }
        } while service.statistics().apps[0].connections.count < load.connections
    }

    /// Offers `count` more and waits for all of them, with a quarter more on offer than can be under way.
    private func settle(count: Int) throws(Fault) {
        let end = offered + count
        let window = load.connections * load.streams * 5 / 4
        offer(min(window, count))
        while settled < end {
            poller.wait(milliseconds: 1000) { _ in }
            reports.wakeup.clear()
            reports.take(into: &batch)
            var done = 0
            for report in batch.joined() where report.isFinal {
                guard report.outcome == .accepted else { throw Fault(.apnsRefused, "\(report.outcome)") }
                done += 1
            }
            settled += done
            offer(min(done, end - offered))
        }
    }

    private func offer(_ count: Int) {
        guard count > 0 else { return }
        let stamp = Clock.wallMilliseconds() / 1000
        var offers: [LaneOffer] = []
        offers.reserveCapacity(count)
        for _ in 0..<count {
            let item = PushItem(
                ticket: UInt64(offered % destinations.count), sequence: UInt64(offered), stampSeconds: stamp,
                event: .update, important: false, quiet: false, priority: 10, expirationSeconds: 1_767_225_600,
                expiresAtMilliseconds: nil, payload: body, layout: Self.layout)
            offers.append(LaneOffer(item: item, destination: destinations[offered % destinations.count]))
            offered += 1
        }
        precondition(service.offer(offers).isEmpty, "the mailbox is large enough for the window")
    }
}
