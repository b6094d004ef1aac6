import Wire

/// One message of every kind, with fields that are told apart.
enum MeshSamples {
    static let alpha = NodeID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
    static let beta = NodeID(high: 0xfeed_face_cafe_beef, low: 0x0123_4567_89ab_cdef)
    static let cluster = NodeID(high: 0xc1c1_c1c1_c1c1_c1c1, low: 0xc2c2_c2c2_c2c2_c2c2)
    static let header = MeshHeader(
        cluster: cluster, sender: alpha, generation: 1_788_000_000_001, target: beta, targetGeneration: 77)

    static let member = Member(
        id: alpha, incarnation: Incarnation(generation: 1_788_000_000_001, counter: 3), name: "node-1", zone: "a",
        weight: 150, control: "tcp://10.0.0.1:7401", data: "tcp://10.0.0.1:7402", producers: "tcp://10.0.0.1:7400",
        minor: 0, isDraining: true)
    static let verdict = MemberUpdate.verdict(
        .suspect, node: beta, incarnation: Incarnation(generation: 9, counter: 1), by: alpha)
    static let gossip = Gossip(
        updates: [.alive(member), verdict], stateIndex: 12, wallMilliseconds: 1_788_000_123_456, health: 2)
    static let charter = Charter(
        cluster: cluster, name: "größe", shardSeed: [1, .max],
        voters: [Charter.Voter(id: alpha, name: "node-1"), Charter.Voter(id: beta, name: "node-2")])
    static let voters = VoterSet(voters: [beta, alpha], learners: [cluster])

    static let control: [(name: String, message: ControlMessage)] = [
        ("ping", .membership(.ping(sequence: 7, gossip))),
        ("ping-empty", .membership(.ping(sequence: 8, Gossip(wallMilliseconds: -1)))),
        ("ack", .membership(.ack(sequence: 7, gossip))),
        ("ping-request", .membership(.pingRequest(sequence: 9, node: beta, gossip))),
        ("nack", .membership(.nack(sequence: 9))),
        ("gossip", .membership(.gossip(gossip))),
        (
            "exchange",
            .membership(.exchange(rows: [MemberRow(member: member, state: .left)], isReply: true, gossip))
        ),
        ("join", .membership(.join(clusterName: "score", member))),
        ("refused", .membership(.refused(code: .nameTaken, detail: "node-1 lives"))),
        ("leave", .membership(.leave(Incarnation(generation: 5, counter: 6)))),
        ("wrong-generation", .membership(.wrongGeneration(member))),
        (
            "vote-request",
            .consensus(.voteRequest(term: 4, lastIndex: 99, lastTerm: 3, isTrial: true, isTransfer: false))
        ),
        ("vote", .consensus(.vote(term: 4, isGranted: true, isTrial: false))),
        (
            "append",
            .consensus(
                .append(
                    term: 4, previousIndex: 98, previousTerm: 3,
                    entries: [
                        LogEntry(term: 4, index: 99, kind: .voters, payload: voters.encoded()),
                        LogEntry(term: 4, index: 100, kind: .nothing),
                    ], committed: 97, round: 1000))
        ),
        ("appended", .consensus(.appended(term: 4, matched: 98, isRejected: true, hint: 50, round: 1000))),
        (
            "snapshot",
            .consensus(
                .snapshot(
                    term: 4, index: 90, lastTerm: 3, voters: voters, offset: 65_536, bytes: [1, 2, 3], isLast: true))
        ),
        ("snapshot-taken", .consensus(.snapshotTaken(term: 4, index: 90, offset: 65_539))),
        ("transfer", .consensus(.transfer(term: 4))),
        ("charter", .coordination(.charter(charter))),
        ("lease-request", .coordination(.leaseRequest(request: 11, member, wallMilliseconds: 1_788_000_123_456))),
        ("lease", .coordination(.lease(request: 11, term: 4, milliseconds: 3000, index: 81))),
        ("lease-refused", .coordination(.leaseRefused(request: 11, term: 4, .clockOff))),
        ("not-coordinator", .coordination(.notCoordinator(request: 11, coordinator: beta))),
        (
            "progress",
            .coordination(
                .progress(
                    Progress(
                        active: [Progress.ShardEpoch(shard: 4096, epoch: 2)],
                        synced: [Progress.ShardMember(shard: 1, epoch: 3, member: beta)],
                        released: [Progress.ShardEpoch(shard: 17, epoch: 5)])))
        ),
        ("hand-over", .coordination(.handOver(term: 4, [Progress.ShardEpoch(shard: 17, epoch: 5)]))),
        ("accept-loss", .coordination(.acceptLoss(term: 4, [Progress.ShardEpoch(shard: 17, epoch: 5)]))),
        ("waiting", .coordination(.waiting([Progress.ShardEpoch(shard: 17, epoch: 5)]))),
        ("channel-lost", .coordination(.channelLost(name: [1, 1, 1, 0x61, 1, 0x62]))),
        ("served", .coordination(.served([Progress.ShardEpoch(shard: 17, epoch: 5)]))),
        ("token-refused", .coordination(.tokenRefused(kind: 3, app: "cricket", address: [0x61, 0x62], fault: 1))),
    ]

    static let low = ShardVersion(epoch: 2, count: 9)
    static let high = ShardVersion(epoch: 3, count: 10)

    static func row(_ version: ShardVersion, value: [UInt8]?) -> ShardRow {
        ShardRow(kind: 1, key: [0x6b, 0x65, 0x79], version: version, value: value)
    }

    static let data: [(name: String, message: DataMessage)] = [
        (
            "copies",
            .replication(
                .copies(
                    stream: 5,
                    sections: [
                        CopySection(
                            shard: 4095, version: high, previous: low, purge: low,
                            rows: [row(high, value: [0x76]), row(high, value: []), row(high, value: nil)])
                    ]))
        ),
        (
            "copied",
            .replication(.copied(stream: 5, refused: [CopyRefusal(shard: 3, watermark: low, promised: 8)]))
        ),
        ("promise", .replication(.promise([PromiseRequest(shard: 3, epoch: 9)]))),
        (
            "promised",
            .replication(.promised([PromiseAnswer(shard: 3, epoch: 9, watermark: low, isValid: true)]))
        ),
        (
            "rows",
            .replication(
                .rows(
                    RowsPiece(
                        shard: 3, epoch: 9, from: low, to: high, base: low, isWhole: true, piece: 2, isLast: false,
                        purge: .zero, rows: [row(low, value: [1, 2]), row(high, value: nil)])))
        ),
        ("rows-taken", .replication(.rowsTaken(shard: 3, epoch: 9, piece: 2, to: high))),
        ("rows-wanted", .replication(.rowsWanted([RowsRequest(shard: 3, epoch: 9, watermark: .zero)]))),
        (
            "digests",
            .replication(.digests([ShardDigest(shard: 4096, watermark: high, count: 70_000, hash: .max)]))
        ),
        (
            "forward",
            .forward(
                Forward(request: 21, hops: 1, user: [0x75], session: 4, frames: [[1], [], [2, 3]]))
        ),
        ("forwarded", .forwarded(Forwarded(request: 21, session: 4, isAnswer: false, frames: [[9]]))),
    ]

    /// The frame that holds just this message.
    static func frame(_ message: DataMessage) -> [UInt8] {
        var writer = DataFrameWriter(header)
        _ = writer.append(message)
        return writer.bytes
    }

    /// Every frame of the samples.
    static var frames: [[UInt8]] {
        control.map { MeshFrame.encode($0.message, header) } + data.map { frame($0.message) }
    }
}
