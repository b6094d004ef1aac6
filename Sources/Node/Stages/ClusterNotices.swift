internal import Cluster
internal import Loops
internal import Telemetry
internal import Wire

/// What the core says of the cluster, for the log.
extension CoreLoop {
    /// Writes what an operator should know of the cluster.
    func note(_ notice: ClusterNotice) {
        switch notice {
        case .chartered(let cluster, let voters):
            log.notice("cluster made", ["cluster_uuid": .string("\(cluster)"), "voters": .count(voters)])
        case .joined(let cluster): log.notice("cluster joined", ["cluster_uuid": .string("\(cluster)")])
        case .refused(let reason, let detail):
            log.error("not let in", ["reason": .string("\(reason)"), "text": .string(detail)])
        case .member(let name, let state):
            log.notice("member", ["member": .string(name), "state": .string(state.name)])
        case .coordinator(let name, let term):
            log.notice("coordinator", ["member": .string(name ?? ""), "term": .count(term)])
        case .lease(let isHeld):
            if isHeld {
                log.notice("lease held", stage: .dispatch)
            } else {
                log.warning("lease ended", stage: .dispatch)
            }
        case .tookOver(let shards, let milliseconds): noteTakeOver(shards, milliseconds)
        case .letGo(let shards): log.notice("shards let go", stage: .route, ["shards": .count(shards)])
        case .digestsDiffer(let shard, let member):
            log.error(
                "replicas differ", stage: .replicate,
                ["shard": .count(shard), "member": .string(name(of: member))])
        case .shardsClosed(let count):
            log.error("shards without enough copies", stage: .replicate, ["shards": .count(count)])
        case .lossAccepted(let shards):
            log.warning(
                "loss accepted", stage: .replicate,
                ["shards": .count(shards.count), "first_shard": .count(shards.first ?? 0)])
        case .flapping(let name, let milliseconds):
            log.warning("member flaps", ["member": .string(name), "owns_again_in_ms": .integer(milliseconds)])
        case .cutOff(true):
            log.error("APNs out of reach", stage: .dispatch, ["text": .string("other nodes are to own its keys")])
        case .cutOff(false): log.notice("APNs reached again", stage: .dispatch)
        case .clockOff(let name, let milliseconds):
            log.warning("clock off", ["member": .string(name), "offset_ms": .integer(milliseconds)])
        }
    }

    private func noteTakeOver(_ shards: Int, _ milliseconds: Int64) {
        log.notice(
            "shards taken over", stage: .route, ["shards": .count(shards), "duration_ms": .integer(milliseconds)])
        guard recovery == nil else { return }
        var found = core.adopted
        found.channels = core.state.channels.count
        let report = RecoveryReport(found, milliseconds: milliseconds)
        recovery = report
        log.notice("recovered", stage: .replicate, report.fields)
    }
}
