import CarillonClient
import Cluster
import Codes
import LocalCluster
import Loops
import Storage
import Wire

/// Where the keys of a running cluster lie: the hash's seed, read from a node's disk, and the owners that a node names.
struct ClusterMap {
    /// Key of the shard hash.
    let seed: (UInt64, UInt64)
    /// Name of each shard's owner, empty when nobody has it; the registry is the last.
    private(set) var owners: [String] = []

    /// Reads the seed of a node's cluster; the node must not run.
    init(of node: LocalCluster.Node) throws(Fault) {
        let store = try Store.open(directory: node.dataDirectory)
        defer { store.stop() }
        var charter: Charter?
        try store.load { kind, _, value in
            if kind == StoredKind.charter.rawValue { charter = try? Charter.decode(value).get() }
        }
        guard let charter, charter.shardSeed.count == 2 else {
            throw Fault(.internalTrouble, "the node belongs to no cluster yet", at: node.dataDirectory)
        }
        seed = (charter.shardSeed[0], charter.shardSeed[1])
    }

    /// The shard of a name.
    func shard(of target: Target) -> UInt16 { Wire.shard(of: target.name, seed: seed) }

    /// The owner of a name, as it was when the owners were asked for.
    func owner(of target: Target) -> String { owners[Int(shard(of: target))] }

    /// Shards of a node, without the registry.
    func shards(of node: String) -> [UInt16] { (0..<Shard.count).filter { owners[Int($0)] == node } }

    /// Takes the owners from a `shards` document.
    mutating func take(_ document: ShardsAnswer) { owners = document.owners }
}

/// What is needed of a node's `shards` document (Docs/Protocol/Producer.md, `node-status`).
struct ShardsAnswer {
    /// Owners by shard.
    private(set) var owners: [String] = []
    /// Shards that the node serves.
    private(set) var active = 0
    /// Shards of which it has a copy that is in step.
    private(set) var copies = 0

    /// Asks a node through an admin's client.
    init(_ admin: CarillonProducer) throws(Fault) {
        let document = try NodeBench.wait { () async throws(Refusal) in try await admin.document(.shards(of: nil)) }
        // The rows come in the shards' order; the names are ours and need no unescaping.
        for row in document.split(separator: UInt8(ascii: "{")).dropFirst() {
            let text = String(decoding: row, as: UTF8.self)
            guard text.hasPrefix("\"shard\":"), let owner = Self.value("owner", text) else { continue }
            owners.append(owner)
            switch Self.value("state", text) {
            case "active": active += 1
            case "copy": copies += 1
            default: break
            }
        }
        guard owners.count == Placement.entryCount else {
            throw Fault(.malformed, "\(owners.count) shards in the document")
        }
    }

    private static func value(_ name: String, _ text: String) -> String? {
        guard let start = text.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }
}
