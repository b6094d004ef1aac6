import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// A cluster of several real nodes with an admin's client at each of them, for the benchmarks that need one.
final class ClusterBench {
    let cluster: LocalCluster
    private(set) var map: ClusterMap
    private var admins: [String: CarillonProducer] = [:]

    /// Starts the nodes, lets them make a cluster, reads where keys lie, and waits until every shard has its copies.
    /// `places`: where nodes run, by name.
    init(
        nodes: Int = 3, insecure: Bool, keysMax: Int, places: [String: LocalCluster.Place] = [:]
    ) throws(Fault) {
        cluster = try NodeBench.cluster(
            nodes: nodes, insecure: insecure, places: places, ["CARILLON_LIMITS_KEYS": "\(max(keysMax, 200_000))"])
        _ = try cluster.startSimulator()
        try cluster.startNodes()
        let first = cluster.nodes[0].name
        try Self.answer(cluster, first)
        cluster.endNode(first)
        map = try ClusterMap(of: cluster.nodes[0])
        try cluster.startNode(first)
        for node in cluster.nodes {
            admins[node.name] = try CarillonProducer(try cluster.clientSettings(admin: true, nodes: [node.name]))
        }
        try waitUntilHealthy()
    }

    /// Waits until a node takes an event: then the cluster is made.
    private static func answer(_ cluster: LocalCluster, _ name: String) throws(Fault) {
        var settings = try cluster.clientSettings(nodes: [name])
        settings.answerMilliseconds = 60_000
        let producer = try CarillonProducer(settings)
        guard let target = Target(app: LocalCluster.app, kind: .activity, name: "first") else { return }
        let event = Publish(target: target, id: NodeBench.identifier(1), payload: NodeBench.payload(1))
        _ = try NodeBench.wait { () async throws(Refusal) in try await producer.publish(event) }
    }

    func end() {
        admins = [:]
        cluster.stop()
        cluster.remove()
    }

    /// Asks nodes until together they serve every shard, have all copies, and none owns less than its part; then notes
    /// who owns what. `every`: milliseconds between two looks.
    func waitUntilHealthy(limit: Int64 = 180_000, every: Int32 = 200) throws(Fault) {
        let deadline = Clock.bootMilliseconds() + limit
        var seen = ""
        repeat {
            do throws(Fault) {
                let answers = try cluster.nodes.map { node throws(Fault) in try shards(of: node.name) }
                if isHealthy(answers) { return map.take(answers[0]) }
                seen = answers.map { "\($0.active) served, \($0.copies) copies" }.joined(separator: "; ")
            } catch {
                seen = "\(error)"
            }
            poll(nil, 0, every)
        } while Clock.bootMilliseconds() < deadline
        throw Fault(.internalTrouble, "the cluster does not come to rest: " + seen)
    }

    private func isHealthy(_ answers: [ShardsAnswer]) -> Bool {
        let all = answers[0].owners.count
        let copies = min(3, answers.count) * all
        return answers.reduce(0) { $0 + $1.active } == all
            && answers.reduce(0) { $0 + $1.active + $1.copies } >= copies
            && answers.allSatisfy { $0.active >= all / answers.count * 9 / 10 }
    }

    /// What a node says of the shards.
    func shards(of name: String) throws(Fault) -> ShardsAnswer { try ShardsAnswer(try admin(at: name)) }

    /// What a node has counted of pings.
    func pings(of name: String) throws(Fault) -> PingFigures {
        try PingFigures(try admin(at: name), cluster.node(name))
    }

    private func admin(at name: String) throws(Fault) -> CarillonProducer {
        guard let admin = admins[name] else { throw Fault(.noAnswer) }
        return admin
    }

    /// The name of the coordinator, as a node's status says; nil when it knows none.
    func coordinator() throws(Fault) -> String? {
        guard let admin = admins[cluster.nodes[0].name] else { return nil }
        let document = try NodeBench.wait { () async throws(Refusal) in try await admin.nodeStatus() }
        let text = String(decoding: document, as: UTF8.self)
        guard let start = text.firstRange(of: "\"coordinator\":\"")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// CPU time of all nodes so far, in microseconds.
    var cpuMicroseconds: Double {
        cluster.nodes.compactMap(\.processID).reduce(0) { $0 + ProcessFigures.cpuMicroseconds($1) }
    }

    /// Resident memory of all nodes in MiB.
    var residentMebibytes: Double {
        cluster.nodes.compactMap(\.processID).reduce(0) { $0 + ProcessFigures.mebibytes($1, "VmRSS") }
    }
}
