import Codes
import LiveActivity

@testable import carillon

/// Answers of a cluster of three as its nodes give them, for tests to spoil.
enum SampleAnswers {
    static let names = ["n1", "n2", "n3"]

    /// Three nodes that are well; `change` gets every document with the name of its node.
    static func status(_ change: (String, JSONValue) -> JSONValue? = { $1 }) -> [NodeAnswer] {
        names.map { name in
            guard let document = change(name, status(of: name)) else {
                return NodeAnswer(name: name, result: .failure(Fault(.noAnswer)))
            }
            return NodeAnswer(name: name, result: .success(document))
        }
    }

    static func status(of name: String) -> JSONValue {
        let owned: Int64 = name == "n1" ? 1365 : 1366
        return [
            "format": 1, "node": .string(name), "phase": "running", "uptime_ms": 61_000,
            "age_of_newest_unsent_ms": 0,
            "cluster": [
                "name": "carillon", "identity": "00112233445566778899aabbccddeeff",
                "node": ["name": .string(name), "id": "aa", "generation": 7, "zone": "a"],
                "coordinator": "n2", "term": 3, "voters": .array(names.map { .string($0) }), "state_index": 41,
                "nodes_expected": 3, "is_single": false, "lease": ["held": true, "remaining_ms": 1700],
                "healthy": true, "reasons": [],
            ],
            "members": .array(names.map(member)),
            "shards": [
                "total": 4097, "owned": .integer(owned), "active": .integer(owned), "opening": 0, "closed": 0,
                "behind": 0, "epoch_max": 5,
            ],
        ]
    }

    static func member(_ name: String) -> JSONValue {
        [
            "name": .string(name), "id": "aa", "state": "alive", "zone": "a", "weight": 100, "generation": 7,
            "control": "tcp://127.0.0.1:7711", "data": "tcp://127.0.0.1:7721", "owned": 1366, "copies": 4097,
            "clock_offset_ms": -3, "is_voter": true, "is_draining": false,
        ]
    }

    /// What a coordinator says of shards that nobody can serve.
    static let stuck: JSONValue = [
        ["shards": [1, 2], "living": ["n1"], "missing": ["n2 (removed)", "n3"]],
        ["shards": [3], "living": [], "missing": ["n1", "n2", "n3"]],
        ["shards": [4096], "living": ["n1", "n2"], "missing": []],
    ]

    /// What three nodes say of four shards: n2 owns shard 2 by now, and n1 does not know it yet.
    static func shards() -> [NodeAnswer] {
        func row(_ shard: Int64, _ epoch: Int64, _ replicas: [String], _ state: String) -> JSONValue {
            [
                "shard": .integer(shard), "epoch": .integer(epoch), "owner": .string(replicas[0]),
                "replicas": .array(replicas.map { .string($0) }), "state": .string(state),
            ]
        }
        func answer(_ name: String, _ second: Int64, _ owner: [String], _ states: [String]) -> NodeAnswer {
            let key = row(2, second, owner, states[2])
            let rows = [
                row(0, 1, ["n1", "n2", "n3"], states[0]), row(1, 1, ["n2", "n3", "n1"], states[1]), key,
                row(3, 4, ["n3", "n1", "n2"], states[3]),
            ]
            return NodeAnswer(
                name: name,
                result: .success(["node": .string(name), "seed_known": true, "shards": .array(rows), "key": key]))
        }
        return [
            answer("n1", 1, ["n1", "n2", "n3"], ["active", "copy", "active", "copy"]),
            answer("n2", 2, ["n2", "n1", "n3"], ["copy", "active", "opening", "behind"]),
            answer("n3", 2, ["n2", "n1", "n3"], ["copy", "copy", "copy", "closed"]),
        ]
    }
}

extension JSONValue {
    /// The same with the value at a path of names replaced.
    func with(_ path: String..., value: JSONValue) -> JSONValue { with(path[...], value) }

    /// The same with one more member.
    func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [.init(name, value)])
    }

    private func with(_ path: ArraySlice<String>, _ value: JSONValue) -> JSONValue {
        guard let name = path.first else { return value }
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                member.name == name
                    ? .init(member.name, member.value.with(path.dropFirst(), value)) : member
            })
    }
}
