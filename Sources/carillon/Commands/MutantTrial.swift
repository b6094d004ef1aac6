internal import CLinux
internal import Cluster
internal import Codes
internal import LiveActivity
internal import Loops
internal import SimulatedCluster
internal import Terminal

/// Switches on each known fault of the cluster, each in a process of its own because some of them make it trap, and
/// says which promise noticed it. A crash is no finding.
struct MutantTrial {
    /// What became of one fault.
    private enum Fate {
        case found(invariant: String, seed: UInt64, text: String)
        case survived
        case crashed
    }

    /// Faults that change nothing that anybody could notice, and why.
    private static let equivalent: [Mutant: String] = [:]

    let program: Program
    let seeds: ClosedRange<UInt64>
    let nodes: Int

    func run() throws(Fault) -> ExitStatus {
        var table = Table([.text("MUTANT"), .text("FOUND BY"), .number("SEEDS"), .text("NOTE")])
        var json: [JSONValue] = []
        var survivors = 0
        for mutant in Mutant.allCases {
            let fate = try tryOut(mutant)
            let row = describe(mutant, fate)
            if row.isSurvivor { survivors += 1 }
            table.append([Table.Cell(mutant.rawValue, row.isSurvivor ? .red : nil)] + row.cells.map { Table.Cell($0) })
            json.append(
                .object([
                    .init("mutant", .string(mutant.rawValue)), .init("found_by", .string(row.cells[0])),
                    .init("seeds", .string(row.cells[1])), .init("note", .string(row.cells[2])),
                    .init("survived", .bool(row.isSurvivor)),
                ]))
            program.console.say("\(mutant.rawValue): \(row.cells.filter { !$0.isEmpty }.joined(separator: ", "))")
        }
        program.console.show(table, json: .array(json))
        return survivors == 0 ? .success : .failed
    }

    private func describe(_ mutant: Mutant, _ fate: Fate) -> (cells: [String], isSurvivor: Bool) {
        switch fate {
        case .found(let invariant, let seed, let text):
            return ([invariant, "\(seed - seeds.lowerBound + 1)", text], false)
        case .survived:
            if let why = Self.equivalent[mutant] { return (["equivalent", "\(seeds.count)", why], false) }
            return (["survived", "\(seeds.count)", ""], true)
        case .crashed: return (["crashed", "", "no promise noticed it before"], true)
        }
    }

    private func tryOut(_ mutant: Mutant) throws(Fault) -> Fate {
        let own = try DemoCommand.ownPath()
        let output = try temporaryFile()
        defer { unlink(output) }
        let child: ChildProcess
        do throws(ChildProcess.StartFailure) {
            child = try ChildProcess(
                program: own,
                arguments: [
                    "simulate", "--mutant", mutant.rawValue, "--seeds", "\(seeds.lowerBound)..\(seeds.upperBound)",
                    "--nodes", "\(nodes)", "--threads", "1", "-o", "json",
                ], output: output, errors: "/dev/null")
        } catch { throw Fault(.internalTrouble, error.description) }
        switch child.wait() {
        case .exited(0): return .survived
        case .exited(1): return found(try CommandFiles.read(output, bytesMax: 1 << 20).get())
        default: return .crashed
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

    private func found(_ bytes: [UInt8]) -> Fate {
        guard let first = (try? JSONValue(parsing: bytes.span))?["violations"]?[0],
            let invariant = first["invariant"]?.string, let seed = first["seed"]?.string.flatMap({ UInt64($0) })
        else { return .crashed }
        return .found(invariant: invariant, seed: seed, text: first["text"]?.string ?? "")
    }
}
