internal import LiveActivity
internal import Terminal

/// The placement as one node tells it, with what every node says of the shards that it has.
struct ShardView {
    /// One shard.
    struct Row: Equatable {
        var shard: Int64
        var epoch: Int64
        var owner: String
        /// The owner is the first.
        var replicas: [String]
        /// The owner's word; empty when the owner did not answer.
        var state: String
    }

    /// A node's share.
    struct Share: Equatable {
        var owned = 0
        var copies = 0
        var active = 0
        var opening = 0
        var closed = 0
        var behind = 0
        var epochMax: Int64 = 0
    }

    /// Every shard in order.
    let rows: [Row]
    /// The shards that nobody can serve, by the coordinator's word; nil when it did not answer.
    let stuck: [StuckShards]?
    /// The shard of the key that was asked for.
    let key: Row?
    /// By name of the node.
    let shares: [(name: String, share: Share)]

    /// nil when no document has shards. The newest placement counts: the one with the highest epochs.
    init?(_ answers: [NodeAnswer], _ documents: [JSONValue]) {
        func weight(_ document: JSONValue) -> Int64 {
            (document["shards"]?.array ?? []).reduce(0) { $0 + ($1["epoch"]?.integer ?? 0) }
        }
        let candidates = documents.filter { $0["shards"]?.array != nil }
        guard let newest = candidates.max(by: { weight($0) < weight($1) }) else { return nil }
        let words = Self.words(answers)
        rows = (newest["shards"]?.array ?? []).map { Self.row($0, words) }
        key = candidates.compactMap { $0["key"] }.max { ($0["epoch"]?.integer ?? 0) < ($1["epoch"]?.integer ?? 0) }
            .map { Self.row($0, words) }
        shares = Self.shares(rows, words)
        stuck = candidates.compactMap { $0["stuck"] }.first.map(StuckShards.all)
    }

    private static func row(_ value: JSONValue, _ words: [String: [Int64: String]]) -> Row {
        let owner = value["owner"]?.string ?? ""
        let shard = value["shard"]?.integer ?? 0
        return Row(
            shard: shard, epoch: value["epoch"]?.integer ?? 0, owner: owner,
            replicas: value["replicas"]?.array?.compactMap(\.string) ?? [], state: words[owner]?[shard] ?? "")
    }

    /// What each node says of each shard.
    private static func words(_ answers: [NodeAnswer]) -> [String: [Int64: String]] {
        var words: [String: [Int64: String]] = [:]
        for answer in answers {
            guard let document = answer.document else { continue }
            let name = document["node"]?.string ?? answer.name
            for row in document["shards"]?.array ?? [] {
                guard let shard = row["shard"]?.integer else { continue }
                words[name, default: [:]][shard] = row["state"]?.string ?? ""
            }
        }
        return words
    }

    private static func shares(
        _ rows: [Row], _ words: [String: [Int64: String]]
    ) -> [(name: String, share: Share)] {
        var shares: [String: Share] = [:]
        for row in rows {
            var share = shares[row.owner, default: Share()]
            share.owned += 1
            share.epochMax = max(share.epochMax, row.epoch)
            switch row.state {
            case "active": share.active += 1
            case "opening", "waiting": share.opening += 1
            case "closed": share.closed += 1
            default: break
            }
            shares[row.owner] = share
            for name in row.replicas {
                shares[name, default: Share()].copies += 1
                if words[name]?[row.shard] == "behind" { shares[name, default: Share()].behind += 1 }
            }
        }
        return shares.sorted { $0.key < $1.key }.filter { !$0.key.isEmpty }.map { ($0.key, $0.value) }
    }
}

extension ShardView {
    /// A table of some shards.
    func table(of rows: [Row]) -> Table {
        var table = Table([
            .number("SHARD"), .text("OWNER"), .text("REPLICAS"), .number("EPOCH"), .text("STATE"),
        ])
        for row in rows {
            table.append([
                .init("\(row.shard)"), .init(row.owner), .init(row.replicas.joined(separator: " ")),
                .init("\(row.epoch)"), .init(row.state, row.state == "active" ? .green : .yellow),
            ])
        }
        return table
    }

    /// A shard for programs.
    func object(_ row: Row) -> JSONValue {
        [
            "shard": .integer(row.shard), "owner": .string(row.owner),
            "replicas": .array(row.replicas.map { .string($0) }), "epoch": .integer(row.epoch),
            "state": .string(row.state),
        ]
    }

    /// The shares of all nodes as a table.
    var summary: Table {
        var table = Table([
            .text("NODE"), .number("OWNED"), .number("ACTIVE"), .number("OPENING"), .number("CLOSED"),
            .number("COPIES"), .number("BEHIND"), .number("EPOCH"),
        ])
        for (name, share) in shares {
            let figures = [share.owned, share.active, share.opening, share.closed, share.copies, share.behind]
            table.append([.init(name)] + figures.map { .init(Humanised.count($0)) } + [.init("\(share.epochMax)")])
        }
        return table
    }

    /// The same for programs.
    var summaryJSON: JSONValue {
        .array(
            shares.map { name, share in
                [
                    "node": .string(name), "owned": .count(share.owned), "active": .count(share.active),
                    "opening": .count(share.opening), "closed": .count(share.closed), "copies": .count(share.copies),
                    "behind": .count(share.behind), "epoch_max": .integer(share.epochMax),
                ]
            })
    }
}
