internal import LiveActivity

/// Who owns and keeps which shard, as one node knows it: the JSON object behind `carillon shards`.
struct ShardsDocument {
    /// How a shard is at the node that says so.
    enum State: String {
        /// Owned and served here.
        case active
        /// Owned here and being taken over.
        case opening
        /// Owned here; copies of others have to be read first, and too few have answered yet.
        case waiting
        /// Owned here by an epoch that may not be served; the coordinator gives it a new one.
        case closed
        /// A copy is here that is in step.
        case copy
        /// A copy is here that is behind.
        case behind
        /// Nothing of it is here.
        case elsewhere
    }

    /// One shard.
    struct Row {
        let shard: UInt16
        let epoch: UInt64
        /// Names; the owner is the first replica.
        let owner: String
        let replicas: [String]
        let state: State
    }

    /// The name of the node that says so.
    let node: String
    /// Whether the cluster is made; before, nobody knows where a key lies.
    let seedIsKnown: Bool
    let rows: [Row]
    /// The shards that nobody can serve; nil when the node does not coordinate and so does not know.
    let stuck: [StuckGroup]?

    /// Writes the object; `keyShard` is where the key lies that was asked for.
    func bytes(keyShard: UInt16?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("node", node)
        json.member("seed_known", seedIsKnown)
        if let row = keyShard.flatMap({ shard in rows.first { $0.shard == shard } }) {
            json.name("key")
            Self.write(row, &json)
        }
        json.name("shards")
        json.beginArray()
        for row in rows { Self.write(row, &json) }
        json.endArray()
        if let stuck {
            json.name("stuck")
            json.beginArray()
            for group in stuck { group.write(&json) }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }

    private static func write(_ row: Row, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("shard", Int64(row.shard))
        json.member("epoch", Int64(clamping: row.epoch))
        json.member("owner", row.owner)
        json.name("replicas")
        json.beginArray()
        for name in row.replicas { json.string(name) }
        json.endArray()
        json.member("state", row.state.rawValue)
        json.endObject()
    }
}
