import CLinux

/// Measures parts of Carillon: `carillon-bench NAME [arguments]`. Built only with `CARILLON_BENCHMARKS=1`.
@main
enum Bench {
    /// A benchmark: its arguments in, its exit status out.
    typealias Body = @Sendable ([String]) -> Int32

    /// Every benchmark by name; each lives in a file of its own.
    static let all: [String: Body] = [
        "acks": AcksBenchmark.run,
        "batch": BatchBenchmark.run,
        "delivery": DeliveryBenchmark.run,
        "failover": FailoverBenchmark.run,
        "latency": LatencyBenchmark.run,
        "leases": LeaseBenchmark.run,
        "lint": LintBenchmark.run,
        "membership": MembershipBenchmark.run,
        "mesh": MeshBenchmark.run,
        "neutral-server": NeutralServer.run,
        "payload": PayloadBenchmark.run,
        "placement": PlacementBenchmark.run,
        "replicated": ReplicatedBenchmark.run,
        "start": StartBenchmark.run,
        "storage": StorageBenchmark.run,
        "transport": TransportBenchmark.run,
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, let body = all[name] else {
            print("usage: carillon-bench \(all.keys.sorted().joined(separator: "|")) [arguments]")
            exit(64)
        }
        exit(body(Array(arguments.dropFirst())))
    }
}
