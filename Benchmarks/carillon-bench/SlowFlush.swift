import CLinux
import Codes
import LocalCluster
import Loops

/// Makes the disks of nodes slow while they run: a library of ours stands between them and the C library and lets
/// every flush take longer (Benchmarks/SlowFlush). Compiled with `cc` when it is needed.
final class SlowFlush {
    private let directory = makeDirectory()
    private let names: [String]
    private var library: String { directory + "/slow_flush.so" }

    /// Builds the library for nodes of these names.
    init(_ names: [String]) throws(Fault) {
        self.names = names
        let source = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/SlowFlush/slow_flush.c"
        let compiler = "/usr/bin/cc"
        do {
            let run = try ChildProcess(
                program: compiler, arguments: ["-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl"])
            guard run.wait() == .exited(0) else { throw Fault(.internalTrouble, "not compiled", at: source) }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(.inputUnreadable, "\(error)", at: compiler)
        }
    }

    deinit {
        for name in names { unlink(file(of: name)) }
        unlink(library)
        rmdir(directory)
    }

    /// Where nodes have to run for it.
    var places: [String: LocalCluster.Place] {
        Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, LocalCluster.Place(variables: ["LD_PRELOAD": library, "SLOW_FLUSH_FILE": file(of: name)]))
            })
    }

    /// From now on each flush of these nodes takes so many milliseconds more, those of all others none.
    func slow(_ slowed: [String], milliseconds: Int) {
        for name in names {
            unlink(file(of: name))
            if slowed.contains(name), milliseconds > 0 { writeFile(file(of: name), Array("\(milliseconds)".utf8)) }
        }
    }

    private func file(of name: String) -> String { directory + "/" + name }
}
