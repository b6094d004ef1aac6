internal import Cluster
internal import Codes
internal import Delivery
internal import LiveActivity
internal import Telemetry
internal import Wire

/// Stuck shards: an admin may accept that what their missing copies had is lost. The coordinator hears it.
extension CoreLoop {
    /// An admin of this node says so.
    func recover(_ recovery: ShardRecovery, _ session: Session, now: Moment) {
        guard session.credit.takeRequest() else {
            let nack = Nack(
                .overloaded, sequence: recovery.sequence, detail: "too many unanswered requests", retryMilliseconds: 100
            )
            return answer(.nack(nack), to: session.identity)
        }
        carry(recovery, Call(caller: .session(session.serial), user: session.userBytes), now: now)
    }

    /// Gives it to the coordinator; whoever asked has been checked.
    func carry(_ recovery: ShardRecovery, _ call: Call, now: Moment) {
        let way = core.routeCoordinator()
        if way == .here { noteRecovery(recovery, call) }
        direct(.recover(recovery), .recovery, call, way, now: now) { origin in
            .acceptLoss(origin: origin, of: recovery.shard.map { [$0] })
        }
    }

    /// Who decided that data may be lost belongs into the log whatever comes of it.
    private func noteRecovery(_ recovery: ShardRecovery, _ call: Call) {
        log.warning(
            "an admin accepts loss", stage: .replicate,
            [
                "admin": .string(String(decoding: call.user, as: UTF8.self)),
                "shard": .string(recovery.shard.map { "\($0)" } ?? "all that are stuck"),
            ])
    }

    /// The shards for which the word counts, as a JSON object.
    func document(of accepted: [StuckShard]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("node", nodeName)
        json.name("accepted")
        json.beginArray()
        for group in StuckGroup.groups(accepted, describe) { group.write(&json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// Stuck shards in a document, those together that miss the same copies: by name, whose copies live and whose do not
/// answer.
struct StuckGroup: Equatable {
    let living: [String]
    let missing: [String]
    var shards: [UInt16]

    /// Puts shards together, in the order of the first of each group. `name` says what people call a node.
    static func groups(_ stuck: [StuckShard], _ name: (NodeID) -> String) -> [StuckGroup] {
        var groups: [StuckGroup] = []
        var places: [[[NodeID]]: Int] = [:]
        for item in stuck {
            let holders = [item.living.sorted(), item.missing.sorted()]
            if let place = places[holders] {
                groups[place].shards.append(item.shard)
                continue
            }
            places[holders] = groups.count
            groups.append(
                StuckGroup(
                    living: item.living.map(name).sorted(), missing: item.missing.map(name).sorted(),
                    shards: [item.shard]))
        }
        return groups
    }

    func write(_ json: inout JSONWriter) {
        json.beginObject()
        for (member, names) in [("living", living), ("missing", missing)] {
            json.name(member)
            json.beginArray()
            for name in names { json.string(name) }
            json.endArray()
        }
        json.name("shards")
        json.beginArray()
        for shard in shards { json.integer(Int64(shard)) }
        json.endArray()
        json.endObject()
    }
}
