import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Telemetry
import Wire

/// What one or several nodes have counted so far of the pings among them and of what should not happen meanwhile, read
/// from their status documents and logs.
struct PingFigures {
    /// Pings by microseconds of their round trip.
    private(set) var counts: [Int64: Int64] = [:]
    /// Pings without an answer.
    private(set) var unanswered: Int64 = 0
    /// Shards taken over.
    private(set) var takeOvers: Int64 = 0
    /// Members that were suspected.
    private(set) var suspicions: Int64 = 0
    /// Elections begun.
    private(set) var elections: Int64 = 0
    /// Leases that ended.
    private(set) var leasesEnded: Int64 = 0
    /// Bytes received on the data plane.
    private(set) var dataBytes: Int64 = 0

    /// Nothing.
    init() {}

    /// Asks a node through an admin's client.
    init(_ admin: CarillonProducer, _ node: LocalCluster.Node) throws(Fault) {
        let bytes = try NodeBench.wait { () async throws(Refusal) in try await admin.nodeStatus() }
        guard let document = try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20)),
            let mesh = document["mesh"], let pings = mesh["pings"]
        else { throw Fault(.malformed, "a status without pings", at: node.name) }
        for pair in pings["counts"]?.array ?? [] {
            if let upTo = pair[0]?.integer, let times = pair[1]?.integer { counts[upTo, default: 0] += times }
        }
        func count(_ name: String, in value: JSONValue?) -> Int64 { value?[name]?.integer ?? 0 }
        unanswered = count("unanswered", in: pings)
        takeOvers = count("take_overs", in: mesh)
        suspicions = count("suspicions", in: mesh)
        elections = count("elections", in: mesh)
        dataBytes = count("received_bytes", in: mesh["data"])
        leasesEnded = Int64(ProcessFigures.read(node.log).split(separator: "\n").count { $0.contains("lease ended") })
    }

    /// Adds what another node has counted.
    mutating func add(_ other: PingFigures) { combine(other, 1) }

    /// What was counted since.
    func since(_ before: PingFigures) -> PingFigures {
        var difference = self
        difference.combine(before, -1)
        return difference
    }

    private mutating func combine(_ other: PingFigures, _ sign: Int64) {
        for (upTo, times) in other.counts { counts[upTo, default: 0] += sign * times }
        unanswered += sign * other.unanswered
        takeOvers += sign * other.takeOvers
        suspicions += sign * other.suspicions
        elections += sign * other.elections
        leasesEnded += sign * other.leasesEnded
        dataBytes += sign * other.dataBytes
    }

    /// All pings in microseconds. One without an answer counts as one that took ten seconds.
    var histogram: LatencyHistogram {
        var histogram = LatencyHistogram()
        for (upTo, times) in counts where times > 0 { histogram.record(upTo, times: UInt64(times)) }
        histogram.record(10_000_000, times: UInt64(max(0, unanswered)))
        return histogram
    }
}
