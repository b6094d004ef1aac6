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
        for item in accepted { StuckRow(item, describe).write(&json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// A stuck shard in a document: whose copies live and whose do not answer, by name.
struct StuckRow {
    let shard: UInt16
    let living: [String]
    let missing: [String]

    /// `name` says what people call a node.
    init(_ stuck: StuckShard, _ name: (NodeID) -> String) {
        shard = stuck.shard
        living = stuck.living.map(name)
        missing = stuck.missing.map(name)
    }

    func write(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("shard", Int64(shard))
        for (member, names) in [("living", living), ("missing", missing)] {
            json.name(member)
            json.beginArray()
            for name in names { json.string(name) }
            json.endArray()
        }
        json.endObject()
    }
}
