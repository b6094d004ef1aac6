public import Codes
public import Delivery
import Wire

/// What a start makes of the rows on disk.
extension NodeCore {
    /// Takes one stored row; any order. Returns a fault when the row cannot be used: it is left out, the others go on.
    public mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault? {
        guard staged != nil else { return nil }
        guard let known = StoredKind(rawValue: kind) else { return Fault(.rowUnknown, "kind \(kind)") }
        if known == .node {
            guard let record = NodeRecord(row: value) else { return Fault(.rowUnreadable, "kind \(kind)") }
            self.record = record
            return nil
        }
        staged?.append(StoreWrite(kind: known, key: key, value: value))
        return nil
    }

    /// Ends the start. `randomBytes` (at least 64) make the node's identity, and the cluster's if this node makes one.
    /// The generation grows in any case and is durable before the first packet leaves. Returns the faults of rows that
    /// were left out.
    public mutating func finishRestore(
        randomBytes: [UInt8], now: Moment, into effects: inout [NodeEffect]
    ) -> [Fault] {
        guard let rows = staged else { return [] }
        staged = nil
        var faults: [Fault] = []
        startRun(randomBytes, now: now)
        guard let record else { return [Fault(.noRandomness, "too few random bytes")] }
        var log = StoredLog()
        var shards = ShardSet(settings: settings.shards, me: record.id, generation: record.generation)
        for row in rows {
            guard let value = row.value else { continue }
            if !restore(row.kind, row.key, value, &log, &shards) {
                faults.append(Fault(.rowUnreadable, "kind \(row.kind.rawValue)"))
            }
        }
        shards.finishRestore()
        self.shards = shards
        // Who keeps the registry sends what changes; what does not change is here already.
        observeRegistry()
        alignBatches()
        let me = description.member(record)
        membership = Membership(
            settings: settings.membership, clusterName: settings.clusterName, me: me, seeds: settings.seeds,
            random: random.next())
        lease = LeaseClient(settings: settings.lease, random: random.next())
        if let charter {
            begin(charter, log, now: now)
        } else if settings.voters == [description.name] {
            charterCluster(
                [Charter.Voter(id: record.id, name: description.name)], randomBytes, now: now, into: &effects)
        } else {
            seedBytes = randomBytes
        }
        settle(now: now, into: &effects)
        return faults
    }

    private mutating func startRun(_ randomBytes: [UInt8], now: Moment) {
        if record == nil {
            record = NodeRecord(randomBytes: randomBytes[...], wallMilliseconds: now.wallMilliseconds)
        } else {
            record?.startRun(wallMilliseconds: now.wallMilliseconds)
        }
        if let record { disk.write([record.write]) }
    }

    private mutating func restore(
        _ kind: StoredKind, _ key: [UInt8], _ value: [UInt8], _ log: inout StoredLog, _ shards: inout ShardSet
    ) -> Bool {
        switch kind {
        case .charter:
            charter = try? Charter.decode(value).get()
            return charter != nil
        case .consensus, .logEntry, .logSnapshot: return log.restore(kind: kind, key: key, value: value)
        default: return shards.restore(kind: kind, key: key, value: value)
        }
    }

    // MARK: Bootstrap

    /// Whether the cluster may be made here and now: this node is the first of the voters, all of them live, and none
    /// belongs to a cluster.
    mutating func tryBootstrap(now: Moment, into effects: inout [NodeEffect]) {
        guard charter == nil, let membership, settings.voters.first == description.name, disk.durableBatch > 0 else {
            return
        }
        var voters: [Charter.Voter] = []
        for name in settings.voters {
            let found = membership.rows.filter { $0.member.name == name && $0.state == .alive }
            guard found.count == 1, let voter = found.first?.member else { return }
            guard voter.id == record?.id || clusterOf[voter.id] == NodeID.none else { return }
            voters.append(Charter.Voter(id: voter.id, name: name))
        }
        charterCluster(voters, seedBytes, now: now, into: &effects)
    }

    private mutating func charterCluster(
        _ voters: [Charter.Voter], _ randomBytes: [UInt8], now: Moment, into effects: inout [NodeEffect]
    ) {
        guard randomBytes.count >= 48, let cluster = NodeID(bytes: randomBytes[16..<32]) else { return }
        var reader = RowReader(Array(randomBytes[32..<48]))
        guard let first = reader.long(), let second = reader.long() else { return }
        let charter = Charter(
            cluster: cluster, name: settings.clusterName, shardSeed: [first, second], voters: voters)
        effects.append(.clusterNotice(.chartered(cluster: cluster, voters: voters.count)))
        adopt(charter, now: now, into: &effects)
    }

    /// This is the cluster from now on: there is no other way back than a wiped directory.
    mutating func adopt(_ charter: Charter, now: Moment, into effects: inout [NodeEffect]) {
        guard self.charter == nil else { return }
        self.charter = charter
        disk.write([StoreWrite(kind: .charter, key: [], value: charter.encoded())])
        begin(charter, StoredLog(), now: now)
    }

    private mutating func begin(_ charter: Charter, _ log: StoredLog, now: Moment) {
        guard let record else { return }
        membership?.setCluster(charter.cluster)
        owner.setShardSeed((charter.shardSeed[0], charter.shardSeed[1]))
        var consensus = Consensus(
            settings: settings.consensus, me: record.id, voters: VoterSet(voters: charter.voters.map(\.id)),
            stored: log,
            random: random.next(), now: now.bootMilliseconds)
        consensus.start(into: &consensusEffects)
        self.consensus = consensus
        var coordination = settings.coordinator
        coordination.voters = settings.voters
        coordinator = Coordinator(
            settings: coordination, me: record.id, shardSeed: (charter.shardSeed[0], charter.shardSeed[1]))
    }
}
