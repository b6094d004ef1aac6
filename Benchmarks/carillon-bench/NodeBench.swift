import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// What the benchmarks of a whole node share: arguments, where the program lies, clusters with wide budgets, waiting
/// for async calls.
enum NodeBench {
    /// Arguments `[-o json] [--NAME NUMBER]…`.
    struct Arguments {
        private(set) var json = false
        private var numbers: [String: Int] = [:]

        init(_ words: [String]) {
            var words = words[...]
            while let word = words.popFirst() {
                guard let value = words.popFirst() else { break }
                if word == "-o" { json = value == "json" } else { numbers[word] = Int(value) }
            }
        }

        subscript(name: String, default value: Int) -> Int { numbers["--" + name] ?? value }
    }

    /// Runs a benchmark; a fault is printed and becomes the exit status.
    static func run(_ body: () throws(Fault) -> Int32) -> Int32 {
        do throws(Fault) {
            return try body()
        } catch {
            print(error)
            return error.code.exit.rawValue
        }
    }

    /// The `carillon` program: `CARILLON_BINARY`, or beside this one.
    static var program: String {
        if let path = getenv("CARILLON_BINARY") { return String(cString: path) }
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/carillon"
    }

    /// A cluster whose budgets never hold anything up.
    static func cluster(
        nodes: Int = 1, insecure: Bool = false, places: [String: LocalCluster.Place] = [:],
        _ variables: [String: String] = [:]
    ) throws(Fault) -> LocalCluster {
        var options = LocalCluster.Options(program: program)
        options.nodes = nodes
        options.insecure = insecure
        options.places = places
        options.variables = [
            "CARILLON_BUDGET_APP_PER_SECOND": "1000000", "CARILLON_BUDGET_APP_BURST": "1000000",
            "CARILLON_BUDGET_CHANNEL_STORED_PER_SECOND": "1000", "CARILLON_BUDGET_CHANNEL_STORED_BURST": "1000",
            "CARILLON_BUDGET_CHANNEL_UNSTORED_PER_SECOND": "1000", "CARILLON_BUDGET_CHANNEL_UNSTORED_BURST": "1000",
            "CARILLON_PRODUCER_SCORES_PREFIXES": "", "CARILLON_LIMITS_KEYS": "200000",
        ].merging(variables) { _, own in own }
        return try LocalCluster(options)
    }

    /// Runs an async body to its end on a thread that is no task.
    static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(Refusal) -> Value
    ) throws(Fault) -> Value {
        let result = Lock<Result<Value, Refusal>?>(nil)
        let done = Wakeup()
        Task.detached {
            do throws(Refusal) {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        while true {
            if let result = result.withLock({ $0 }) {
                switch result {
                case .success(let value): return value
                case .failure(let refusal): throw refusal.fault
                }
            }
            pause(done, milliseconds: 1_000)
        }
    }

    /// Sleeps until a wake-up or the time-out.
    static func pause(_ wakeup: Wakeup, milliseconds: Int32) {
        var descriptor = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&descriptor, 1, milliseconds) > 0 { wakeup.clear() }
    }

    /// About 300 bytes, as a score looks, and a note as long as wanted; the stamp is the node's to put in.
    static func payload(_ number: Int, noteBytes: Int = 24) -> [UInt8] {
        Array(
            """
            {"aps":{"event":"update","content-state":{"teamA":"Kolkata","teamB":"Hyderabad",\
            "runs":\(100 + number % 900),\
            "wickets":\(number % 10),"over":"\(number % 20).\(number % 6)","batter":"Venkatesh Iyer",\
            "bowler":"Pat Cummins",\
            "striker":{"runs":\(number % 100),"balls":\(number % 60)},"required":\(number % 200),\
            "note":"\(note.prefix(noteBytes))",\
            "phase":"second innings"}}}
            """.utf8)
    }

    private static let note = String(repeating: "over the covers for four", count: 170)

    /// The value at a share of sorted values; 0 of none.
    static func percentile(_ sorted: [Int64], _ share: Double) -> Double {
        sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
    }

    /// An event ID that holds a number: sixteen digits.
    static func identifier(_ number: Int) -> EventID {
        var bytes = [UInt8](repeating: 0x30, count: 16)
        var rest = number
        for place in (0..<16).reversed() where rest > 0 {
            bytes[place] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
        guard let id = EventID(bytes: bytes) else { preconditionFailure("digits are printable") }
        return id
    }

    /// The number in an event ID of `identifier`.
    static func number(_ id: EventID) -> Int { id.bytes.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
}
