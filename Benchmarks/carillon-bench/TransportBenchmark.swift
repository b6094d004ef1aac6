import CBaseline
import CLinux
import Codes
import HTTP2
import Loops

/// CPU time per request of the HTTP/2 client alone and of h2load, against the same server on the other core.
///
/// `carillon-bench transport [requests [rounds [connections [streams]]]]`. Goal: at most 0.75 of h2load.
enum TransportBenchmark {
    private static let goal = 0.75

    /// What one run sends, and with how many requests in flight.
    struct Load {
        var requests = 300_000
        var rounds = 7
        var connections = 4
        var streams = 250

        /// Reads `[requests [rounds [connections [streams]]]]`.
        init(_ arguments: [String]) {
            let numbers = arguments.compactMap { Int($0) }
            if numbers.count > 0 { requests = numbers[0] }
            if numbers.count > 1 { rounds = numbers[1] }
            if numbers.count > 2 { connections = numbers[2] }
            if numbers.count > 3 { streams = numbers[3] }
        }
    }

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in try compare(Load(arguments)) }
    }

    private static func compare(_ load: Load) throws(Fault) -> Int32 {
        let server = try NeutralServer(cpu: 1)
        _ = crl_pin(0)
        let directory = makeDirectory()
        let shape = RequestShape(port: server.port)
        shape.writeFiles(directory)
        defer { shape.removeFiles(directory) }
        var ours: [Sample] = []
        var theirs: [Sample] = []
        for _ in 0..<load.rounds {
            ours.append(try TransportClient(server, shape, load).run())
            if let sample = h2load(shape, directory, load) { theirs.append(sample) }
        }
        print(
            "\(load.connections) connections x \(load.streams) streams, \(load.requests) requests, "
                + "medians of \(load.rounds)"
        )
        print("client      CPU µs/request   min     max     krps   p50 ms  p99 ms")
        report("Carillon", ours)
        report("h2load", theirs)
        print("peak memory: \(crl_peak_memory() / 1024) MiB")
        guard !theirs.isEmpty else {
            print("h2load did not run: apt-get install nghttp2-client")
            return 1
        }
        let ratio = median(ours.map(\.cpu)) / median(theirs.map(\.cpu))
        print("Carillon / h2load: \(decimals(ratio)) (goal: at most \(decimals(goal)))")
        return ratio <= goal ? 0 : 1
    }

    /// One run: CPU and wall time per request in microseconds, and latencies in milliseconds (0: not measured).
    struct Sample {
        var cpu: Double
        var wall: Double
        var p50 = 0.0
        var p99 = 0.0
    }

    static func h2load(_ shape: RequestShape, _ directory: String, _ load: Load) -> Sample? {
        var words = [
            "h2load", "-n", "\(load.requests)", "-c", "\(load.connections)", "-m", "\(load.streams)", "-t", "1",
            "-i", directory + "/uris", "-d", directory + "/body",
        ]
        for (name, value) in shape.headers { words += ["-H", "\(name): \(value)"] }
        var input: Int32 = -1
        var output: Int32 = -1
        let start = Clock.monotonicNanoseconds()
        let process = withArguments(words) { crl_spawn($0, 0, &input, &output) }
        guard process >= 0 else { return nil }
        close(input)
        let text = readAll(output)
        var cpu = 0.0
        let status = crl_wait(process, &cpu)
        let wall = Double(Clock.monotonicNanoseconds() - start) / 1000
        guard status == 0, contains(text, "\(load.requests) succeeded") else { return nil }
        return Sample(cpu: cpu / Double(load.requests), wall: wall / Double(load.requests))
    }

    private static func contains(_ text: [UInt8], _ words: String) -> Bool {
        let wanted = Array(words.utf8)
        return text.indices.contains { text[$0...].starts(with: wanted) }
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        close(descriptor)
        return all
    }

    static func report(_ name: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        let cpu = samples.map(\.cpu)
        func column(_ text: String) -> String { text + String(repeating: " ", count: max(1, 8 - text.count)) }
        print(
            name + String(repeating: " ", count: 12 - name.count) + column(decimals(median(cpu))) + "         "
                + column(decimals(cpu.min() ?? 0)) + column(decimals(cpu.max() ?? 0))
                + column("\(Int(1000 / median(samples.map(\.wall))))") + column(decimals(median(samples.map(\.p50))))
                + column(decimals(median(samples.map(\.p99)))))
    }

    static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    static func decimals(_ value: Double) -> String {
        let hundredths = Int(value * 100 + 0.5)
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}
