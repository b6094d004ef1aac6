internal import LiveActivity
internal import Terminal

/// A shard that nobody can serve: who lives of those that have a copy, and who does not answer.
struct StuckShardRow: Equatable {
    let shard: Int64
    let living: [String]
    let missing: [String]

    init(_ value: JSONValue) {
        func names(_ member: String) -> [String] { value[member]?.array?.compactMap(\.string) ?? [] }
        shard = value["shard"]?.integer ?? 0
        living = names("living")
        missing = names("missing")
    }

    /// Why it is stuck, in a sentence without a full stop.
    var reason: String {
        if missing.isEmpty { return "its copies on \(list(living)) cannot be read" }
        let kept = living.isEmpty ? "no copy is left" : "a copy is left on \(list(living))"
        return "\(list(missing)) \(missing.count == 1 ? "does" : "do") not answer; \(kept)"
    }

    /// What is lost when the loss is accepted, in a sentence without a full stop.
    var loss: String {
        let holders = missing.isEmpty ? "copies that cannot be read" : list(missing)
        return living.isEmpty
            ? "everything in it that was stored on \(holders)"
            : "what \(holders) had and \(list(living)) had not yet"
    }

    private func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Stuck shards as a table.
    static func table(_ rows: [StuckShardRow]) -> Table {
        var table = Table([.number("SHARD"), .text("LIVING"), .text("MISSING"), .text("WHY")])
        for row in rows {
            table.append([
                .init("\(row.shard)"), .init(row.living.joined(separator: " ")),
                .init(row.missing.joined(separator: " ")), .init(row.reason, .yellow),
            ])
        }
        return table
    }

    /// The same for programs.
    static func json(_ rows: [StuckShardRow]) -> JSONValue {
        .array(
            rows.map { row in
                [
                    "shard": .integer(row.shard), "living": .array(row.living.map { .string($0) }),
                    "missing": .array(row.missing.map { .string($0) }), "reason": .string(row.reason),
                ]
            })
    }

    /// How many are stuck, why for example, and what to do; nil when none is.
    static func advice(_ rows: [StuckShardRow]) -> String? {
        guard let first = rows.first else { return nil }
        let which =
            rows.count == 1
            ? "Shard \(first.shard) is stuck: \(first.reason)."
            : "\(rows.count) shards are stuck, shard \(first.shard) for example: \(first.reason)."
        let command = rows.count == 1 ? "\(first.shard)" : "--all"
        let who = rows.count == 1 ? "It waits" : "They wait"
        return which + " \(who) for these nodes to come back; if their data is gone for ever, accept the loss: "
            + "carillon shard recover \(command) --accept-loss"
    }
}
