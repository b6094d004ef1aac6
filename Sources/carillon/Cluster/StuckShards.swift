internal import LiveActivity
internal import Terminal

/// Shards that nobody can serve and that miss the same copies: who lives of those that have one, and who does not
/// answer.
struct StuckShards: Equatable {
    let shards: [Int64]
    let living: [String]
    let missing: [String]

    init(shards: [Int64], living: [String], missing: [String]) {
        (self.shards, self.living, self.missing) = (shards, living, missing)
    }

    /// The groups of an array of a node's document.
    static func all(_ value: JSONValue?) -> [StuckShards] {
        (value?.array ?? []).map { group in
            func names(_ member: String) -> [String] { group[member]?.array?.compactMap(\.string) ?? [] }
            return StuckShards(
                shards: group["shards"]?.array?.compactMap(\.integer) ?? [], living: names("living"),
                missing: names("missing"))
        }
    }

    /// The same with no other shard than this one; nil when it is not among them.
    func only(_ shard: Int64) -> StuckShards? {
        shards.contains(shard) ? StuckShards(shards: [shard], living: living, missing: missing) : nil
    }

    // MARK: Words

    /// Why they are stuck, in a sentence without a full stop.
    var reason: String {
        if missing.isEmpty { return "its copies on \(list(living)) cannot be read" }
        let kept = living.isEmpty ? "no copy is left" : "a copy is left on \(list(living))"
        return "\(list(missing)) \(missing.count == 1 ? "does" : "do") not answer; \(kept)"
    }

    /// What is lost when the loss is accepted, in a sentence without a full stop.
    var loss: String {
        let holders = missing.isEmpty ? "copies that cannot be read" : list(missing)
        return living.isEmpty
            ? "everything in \(which) that was stored on \(holders)"
            : "what \(holders) had of \(which) and \(list(living)) had not yet"
    }

    private var which: String { shards.count == 1 ? "shard \(shards[0])" : "\(shards.count) shards" }

    private func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "nobody" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// How many are stuck, why for example, and what to do; nil when none is.
    static func advice(_ groups: [StuckShards]) -> String? {
        let count = groups.reduce(0) { $0 + $1.shards.count }
        guard let group = groups.first, let first = group.shards.first else { return nil }
        let which =
            count == 1
            ? "Shard \(first) is stuck: \(group.reason). It waits"
            : "\(count) shards are stuck, shard \(first) for example: \(group.reason). They wait"
        return which + " for these nodes to come back; if their data is gone for ever, accept the loss: "
            + "carillon shard recover \(count == 1 ? "\(first)" : "--all") --accept-loss"
    }

    // MARK: Output

    /// Stuck shards as a table.
    static func table(_ groups: [StuckShards]) -> Table {
        var table = Table([
            .number("SHARDS"), .text("FIRST"), .text("LIVING"), .text("MISSING"), .text("WHY"),
            .text("NUMBERS", wide: true),
        ])
        for group in groups {
            table.append([
                .init("\(group.shards.count)"), .init(group.shards.first.map { "\($0)" } ?? ""),
                .init(group.living.joined(separator: " ")), .init(group.missing.joined(separator: " ")),
                .init(group.reason, .yellow), .init(group.shards.map { "\($0)" }.joined(separator: " ")),
            ])
        }
        return table
    }

    /// The same for programs.
    static func json(_ groups: [StuckShards]) -> JSONValue {
        .array(
            groups.map { group in
                [
                    "shards": .array(group.shards.map { .integer($0) }),
                    "living": .array(group.living.map { .string($0) }),
                    "missing": .array(group.missing.map { .string($0) }), "reason": .string(group.reason),
                ]
            })
    }
}
