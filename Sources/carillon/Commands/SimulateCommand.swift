internal import Cluster
internal import Codes
internal import LiveActivity
internal import Loops
internal import SimulatedCluster
internal import Terminal

/// `carillon simulate`: whole clusters in virtual time, each from a seed, with every promise watched.
enum SimulateCommand {
    static let command = Command(
        "simulate", "Run whole clusters in virtual time, and watch every promise.",
        details: """
            Each seed is a cluster with network, disks, clocks, APNs, devices and producers, and with faults that the \
            seed chooses. A run ends at the first promise that does not hold; the line that is printed then repeats it \
            exactly. About half of the seeds have a plan besides their faults: a sequence of blows that waits for its \
            moment. With --mutants each known fault of the cluster itself is switched on in turn, in the world that it \
            needs, to show that a promise that fits notices it: first on the seed where it was found last, then on \
            those of --seeds. A fault that survives them all fails. Ends with 1 when anything did not hold.
            """,
        options: [
            .text("seeds", "A..B", "The seeds to run.").fallback("1..100"),
            .integer("nodes", 1...9, "Nodes of each cluster.").fallback("5"),
            .duration("chaos", "How long faults are on, in the cluster's time.").fallback("60s"),
            .text("faults", "LIST", "Which faults there may be, with commas between; each seed chooses unless given."),
            .integer("threads", 1...64, "Clusters that run at once.").fallback("2"),
            .text(
                "plan", "NAME",
                "What the world has in mind, of \(NemesisPlan.allCases.map(\.rawValue).joined(separator: ", ")); each "
                    + "seed chooses unless given."),
            .flag("trace", "Print everything that happens; for one seed."),
            .flag("mutants", "Try every known fault of the cluster on up to so many seeds."),
            .text("mutant", "NAME", "Switch one known fault on."),
        ],
        examples: [
            CommandExample("carillon simulate --seeds 1..2000", "Runs 2,000 clusters of five nodes."),
            CommandExample("carillon simulate --seeds 4711..4711 --nodes 5 --trace", "Repeats one, line by line."),
            CommandExample(
                "carillon simulate --mutants --seeds 1..200", "Shows that known faults are found."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        var options = SimulationOptions()
        options.nodes = invocation.integer("nodes") ?? 5
        options.chaosMilliseconds = invocation.milliseconds("chaos") ?? 60_000
        options.faults = try faults(invocation.text("faults"))
        let seeds = try seeds(invocation.text("seeds") ?? "")
        options.plan = try choice("plan", invocation.text("plan"))
        let threads = invocation.integer("threads") ?? 2
        if invocation.flag("mutants") { return try MutantTrial(program: program, seeds: seeds, threads: threads).run() }
        options.mutant = try choice("mutant", invocation.text("mutant"))
        if invocation.flag("trace") {
            let console = program.console
            options.trace = { console.write($0 + "\n") }
        }
        var batch = SimulationBatch(
            seeds: seeds, options: options, threads: options.trace == nil ? threads : 1)
        batch.run(showingProgressOn: program.console)
        batch.show(program.console)
        return batch.violations.isEmpty ? .success : .failed
    }

    private static func seeds(_ text: String) throws(Fault) -> ClosedRange<UInt64> {
        let parts = text.split(separator: ".", omittingEmptySubsequences: true).map { UInt64($0) }
        if parts.count == 1, let only = parts[0] { return only...only }
        guard parts.count == 2, let first = parts[0], let last = parts[1], first <= last, last - first < 1 << 32 else {
            throw Fault(.badOptionValue, "--seeds takes A..B, not '\(Printable.text(text))'")
        }
        return first...last
    }

    private static func faults(_ text: String?) throws(Fault) -> FaultKinds? {
        guard let text else { return nil }
        let words = text.split(separator: ",").map { String($0) }
        guard let faults = FaultKinds(words: words) else {
            throw Fault(.badOptionValue, "--faults takes of \(FaultKinds.all.words.joined(separator: ", "))")
        }
        return faults
    }

    /// The value that an option names, out of all that there are.
    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ option: String, _ text: String?
    ) throws(Fault) -> Value? {
        guard let text else { return nil }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(.badOptionValue, "--\(option) takes one of \(names)")
        }
        return value
    }
}
