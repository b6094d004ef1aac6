internal import Cluster
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Wire

/// The cluster as this node sees it: the sections `cluster`, `members` and `shards` of the status document.
struct ClusterView {
    /// A node's part of the placement.
    private struct Share {
        var owned = 0
        var copies = 0
    }

    private let settings: Settings
    private let nodeName: String
    private let now: Moment
    private var shares: [NodeID: Share] = [:]
    private var owned = 0
    private var active = 0
    private var opening = 0
    private var closed = 0
    private var behind = 0
    private var epochMax: UInt64 = 0

    init(_ core: borrowing NodeCore, _ settings: Settings, _ nodeName: String, now: Moment) {
        self.settings = settings
        self.nodeName = nodeName
        self.now = now
        for shard in 0...Shard.registry { count(core, shard) }
    }

    private mutating func count(_ core: borrowing NodeCore, _ shard: UInt16) {
        let entry = core.state.placement[shard]
        if let owner = entry.owner { shares[owner, default: Share()].owned += 1 }
        for node in entry.replicas { shares[node, default: Share()].copies += 1 }
        epochMax = max(epochMax, entry.epoch)
        switch ShardsDocument.State(core, shard) {
        case .elsewhere, .copy: break
        case .behind: behind += 1
        case .active: active += 1
        case .opening, .waiting: opening += 1
        case .closed: closed += 1
        }
        if entry.owner != nil, entry.owner == core.record?.id { owned += 1 }
    }

    private func members(_ core: borrowing NodeCore) -> [MemberRow] {
        core.members.sorted { ($0.member.name, $0.member.id) < ($1.member.name, $1.member.id) }
    }

    /// What is not as it should be, a sentence each.
    private func reasons(_ core: borrowing NodeCore) -> [String] {
        guard core.charter != nil else {
            return ["the cluster is not made yet: not all of \(settings.voters.joined(separator: ", ")) have met"]
        }
        var reasons: [String] = []
        if core.coordinatorID == nil { reasons.append("there is no coordinator") }
        if core.leaseUntil <= now.bootMilliseconds { reasons.append("no lease") }
        for row in members(core) {
            if row.state != .alive { reasons.append("\(row.member.name) is \(row.state.name)") }
            if row.member.isCutOff { reasons.append("\(row.member.name) does not reach APNs") }
        }
        if active < owned { reasons.append("\(owned - active) shards are not served yet") }
        if behind > 0 { reasons.append("\(behind) copies are behind") }
        return reasons
    }

    func write(_ core: borrowing NodeCore, _ json: inout JSONWriter) {
        json.object("cluster") { json in writeCluster(core, &json) }
        json.name("members")
        json.beginArray()
        for row in members(core) { write(core, row, &json) }
        json.endArray()
        json.object("shards") { json in
            json.count("total", Int(Shard.registry) + 1)
            json.count("owned", owned)
            json.count("active", active)
            json.count("opening", opening)
            json.count("closed", closed)
            json.count("behind", behind)
            json.count("epoch_max", epochMax)
            json.count("rows", core.rowCount)
        }
    }

    private func writeCluster(_ core: borrowing NodeCore, _ json: inout JSONWriter) {
        json.member("name", settings.cluster.name)
        json.member("identity", core.charter.map { "\($0.cluster)" } ?? "")
        json.object("node") { json in
            json.member("name", nodeName)
            json.member("id", core.record.map { "\($0.id)" } ?? "")
            json.count("generation", core.record?.generation ?? 0)
            json.member("zone", core.description.zone)
        }
        json.name("coordinator")
        if let name = core.coordinatorID.flatMap({ core.knownName(of: $0) }) { json.string(name) } else { json.null() }
        json.count("term", core.term)
        json.name("voters")
        json.beginArray()
        for voter in core.voters { json.string(core.knownName(of: voter) ?? "\(voter)") }
        json.endArray()
        json.count("state_index", core.stateIndex)
        json.count("nodes_expected", settings.nodes.count)
        json.member("is_single", settings.isClusterOfOne)
        let left = max(0, core.leaseUntil > now.bootMilliseconds ? core.leaseUntil - now.bootMilliseconds : 0)
        json.object("lease") { json in
            json.member("held", left > 0)
            json.member("remaining_ms", left)
        }
        let reasons = reasons(core)
        json.member("healthy", reasons.isEmpty)
        json.name("reasons")
        json.beginArray()
        for reason in reasons { json.string(reason) }
        json.endArray()
    }

    private func write(_ core: borrowing NodeCore, _ row: MemberRow, _ json: inout JSONWriter) {
        let member = row.member
        let share = shares[member.id] ?? Share()
        json.beginObject()
        json.member("name", member.name)
        json.member("id", "\(member.id)")
        json.member("state", row.state.name)
        json.member("zone", member.zone)
        json.count("weight", member.weight)
        json.count("generation", member.incarnation.generation)
        json.member("control", member.control)
        json.member("data", member.data)
        json.member("producers", member.producers)
        json.count("owned", share.owned)
        json.count("copies", share.copies)
        if let offset = core.clockOffset(of: member.id) { json.member("clock_offset_ms", offset) }
        if let left = core.flapPenalty(of: member.id, now: now) { json.member("flap_penalty_ms", left) }
        json.member("is_voter", core.voters.contains(member.id))
        json.member("is_draining", member.isDraining)
        json.member("is_cut_off", member.isCutOff)
        json.endObject()
    }
}
