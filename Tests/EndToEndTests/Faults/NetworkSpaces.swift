import CLinux
import Codes
import LocalCluster
import Loops

/// Hosts as network namespaces on one bridge, made by Deploy/spaces.sh, with cuts between them.
///
/// Nodes are hosts 1…9 by their number; the simulator and the producer have hosts of their own.
final class NetworkSpaces {
    static let simulator = 201
    static let producer = 202

    private let prefix: String
    private let script: String

    /// Whether this process may make namespaces and has what it needs.
    static var areAvailable: Bool {
        let programs = ["/usr/sbin/ip", "/usr/sbin/nft", "/usr/bin/nsenter"]
        return geteuid() == 0 && programs.allSatisfy { (path: String) in access(path, X_OK) == 0 }
    }

    /// Makes hosts for so many nodes, the simulator and the producer.
    init(nodes: Int) throws {
        prefix = "crl-e2e-\(getpid())"
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        script = root + "/Deploy/spaces.sh"
        try run("down", [])
        try run("up", (Array(1...nodes) + [Self.simulator, Self.producer]).map(String.init))
    }

    /// Where a host's process runs.
    func place(_ host: Int) -> LocalCluster.Place {
        LocalCluster.Place(host: "10.88.0.\(host)", prefix: ["/usr/bin/nsenter", "--net=\(path(host))"])
    }

    private func path(_ host: Int) -> String { "/run/netns/\(prefix)-\(host)" }

    /// `deaf` hears nothing from the others any more, although they hear it.
    func cut(_ deaf: Int, from others: [Int]) throws { try run("cut", ([deaf] + others).map(String.init)) }

    /// Neither side hears the other.
    func part(_ left: [Int], _ right: [Int]) throws {
        try run("part", [left, right].map { side in side.map(String.init).joined(separator: " ") })
    }

    /// Mends every cut.
    func heal() throws { try run("heal", []) }

    /// Ends every process in the namespaces and removes them.
    func end() { try? run("down", []) }

    /// Runs `body` with this thread in the producer's namespace: threads and sockets that it makes stay there.
    func atProducer<Value>(_ body: () throws -> Value) throws -> Value {
        let home = crl_open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC, 0)
        let there = crl_open(path(Self.producer), O_RDONLY | O_CLOEXEC, 0)
        defer {
            close(home)
            close(there)
        }
        guard home >= 0, there >= 0, setns(there, CLONE_NEWNET) == 0 else {
            throw Fault(.inputUnreadable, String(cString: strerror(crl_errno())), at: path(Self.producer))
        }
        defer { precondition(setns(home, CLONE_NEWNET) == 0, "the thread cannot come back") }
        return try body()
    }

    private func run(_ verb: String, _ arguments: [String]) throws {
        let child = try ChildProcess(
            program: "/bin/bash", arguments: [script, prefix, verb] + arguments,
            environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
        guard child.wait() == .exited(0) else { throw Fault(.internalTrouble, "spaces.sh \(verb) failed") }
    }
}
