internal import CLinux
internal import Cluster
internal import Codes
internal import LiveActivity
internal import Loops
internal import SimulatedCluster
internal import Terminal

/// Switches on each known fault of the cluster and says which promise noticed it. Each seed is a process of its own,
/// because some faults make the core trap, which is no finding.
struct MutantTrial {
    /// What became of one fault.
    private enum Fate: Sendable {
        case found(invariant: String, seed: UInt64, tried: Int, text: String)
        /// No promise that fits was broken; so many seeds ended in a trap or broke another one.
        case survived(tried: Int, traps: Int, others: Int)
        case failed(Fault)
    }

    /// What came of one seed.
    private enum Outcome {
        case calm
        case broken(invariant: String, text: String)
        case trap
    }

    private struct Progress: Sendable {
        var next = 0
        var fates: [Int: Fate] = [:]
    }

    let program: Program
    let seeds: ClosedRange<UInt64>
    let threads: Int

    func run() throws(Fault) -> ExitStatus {
        let own = try DemoCommand.ownPath()
        let progress = Lock(Progress())
        let workers = (0..<threads).map { LoopThread(name: "mutants-\($0)") }
        for worker in workers {
            worker.start {
                while let place = Self.take(progress) {
                    let hunt = MutantHunt.all[place]
                    let fate = pursue(hunt, own)
                    progress.withLock { $0.fates[place] = fate }
                    program.console.say("\(hunt.mutant.rawValue): \(words(hunt, fate).joined(separator: ", "))")
                }
            }
        }
        for worker in workers { worker.join() }
        return try show(progress.withLock { $0.fates })
    }

    private static func take(_ progress: Lock<Progress>) -> Int? {
        progress.withLock { state in
            guard state.next < MutantHunt.all.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    // MARK: Hunting

    /// Tries seed after seed until a promise that fits is broken.
    private func pursue(_ hunt: MutantHunt, _ own: String) -> Fate {
        var (tried, traps, others) = (0, 0, 0)
        let fitting = hunt.fitting.map(\.rawValue)
        for seed in hunt.seeds(of: seeds) {
            tried += 1
            do throws(Fault) {
                switch try live(hunt, seed, own) {
                case .calm: break
                case .trap: traps += 1
                case .broken(let invariant, let text):
                    if fitting.contains(invariant) {
                        return .found(invariant: invariant, seed: seed, tried: tried, text: text)
                    }
                    others += 1
                }
            } catch { return .failed(error) }
        }
        return .survived(tried: tried, traps: traps, others: others)
    }

    private func live(_ hunt: MutantHunt, _ seed: UInt64, _ own: String) throws(Fault) -> Outcome {
        let output = try temporaryFile()
        defer { unlink(output) }
        let child: ChildProcess
        do throws(ChildProcess.StartFailure) {
            child = try ChildProcess(
                program: own,
                arguments: [
                    "simulate", "--mutant", hunt.mutant.rawValue, "--plan", hunt.plan.rawValue, "--nodes",
                    "\(hunt.nodes)", "--seeds", "\(seed)..\(seed)", "--threads", "1", "-o", "json",
                ], output: output, errors: "/dev/null")
        } catch { throw Fault(.internalTrouble, error.description) }
        switch child.wait() {
        case .exited(0): return .calm
        case .exited(1): return broken(try CommandFiles.read(output, bytesMax: 1 << 20).get())
        default: return .trap
        }
    }

    private func temporaryFile() throws(Fault) -> String {
        let base = program.environment["TMPDIR"] ?? "/tmp"
        var template = Array((base + "/carillon-mutant-XXXXXX").utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw Fault(.outputUnwritable, String(cString: strerror(crl_errno())), at: base) }
        close(file)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func broken(_ bytes: [UInt8]) -> Outcome {
        guard let first = (try? JSONValue(parsing: bytes.span))?["violations"]?[0],
            let invariant = first["invariant"]?.string
        else { return .trap }
        return .broken(invariant: invariant, text: first["text"]?.string ?? "")
    }

    // MARK: Results

    private func show(_ fates: [Int: Fate]) throws(Fault) -> ExitStatus {
        var table = Table([.text("MUTANT"), .text("FOUND BY"), .text("SEED"), .number("TRIED"), .text("NOTE")])
        var json: [JSONValue] = []
        var survivors = 0
        for (place, hunt) in MutantHunt.all.enumerated() {
            guard let fate = fates[place] else { continue }
            if case .failed(let fault) = fate { throw fault }
            let cells = words(hunt, fate)
            let survives = isSurvivor(hunt, fate)
            if survives { survivors += 1 }
            table.append([Table.Cell(hunt.mutant.rawValue, survives ? .red : nil)] + cells.map { Table.Cell($0) })
            json.append(
                .object([
                    .init("mutant", .string(hunt.mutant.rawValue)), .init("found_by", .string(cells[0])),
                    .init("seed", .string(cells[1])), .init("seeds", .string(cells[2])),
                    .init("note", .string(cells[3])), .init("survived", .bool(survives)),
                ]))
        }
        program.console.show(table, json: .array(json))
        program.console.say("\(MutantHunt.all.count - survivors) of \(MutantHunt.all.count) accounted for")
        return survivors == 0 ? .success : .failed
    }

    private func isSurvivor(_ hunt: MutantHunt, _ fate: Fate) -> Bool {
        if case .survived = fate { return hunt.equivalent == nil }
        return false
    }

    private func words(_ hunt: MutantHunt, _ fate: Fate) -> [String] {
        switch fate {
        case .found(let invariant, let seed, let tried, let text):
            return [invariant, "\(seed)", "\(tried)", "\(text) (\(hunt.repetition(seed: seed)))"]
        case .survived(let tried, let traps, let others):
            if let why = hunt.equivalent { return ["equivalent", "", "\(tried)", why] }
            let rest = "\(traps) traps, \(others) other findings, sought by \(hunt.repetition(seed: hunt.hint))"
            return ["survived", "", "\(tried)", rest]
        case .failed(let fault): return ["failed", "", "", "\(fault)"]
        }
    }
}
