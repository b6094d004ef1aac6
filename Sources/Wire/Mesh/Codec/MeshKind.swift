/// The number of a message's kind on the wire: never renumber. Below 128 control plane, above it data plane.
enum MeshKind: UInt8, CaseIterable {
    case ping = 1
    case ack = 2
    case pingRequest = 3
    case nack = 4
    case gossip = 5
    case exchange = 6
    case join = 7
    case refused = 8
    case leave = 9
    case wrongGeneration = 10

    case voteRequest = 33
    case vote = 34
    case append = 35
    case appended = 36
    case snapshot = 37
    case snapshotTaken = 38
    case transfer = 39

    case charter = 65
    case leaseRequest = 66
    case lease = 67
    case leaseRefused = 68
    case notCoordinator = 69
    case progress = 70
    case handOver = 71
    case channelLost = 72
    case tokenRefused = 73
    case acceptLoss = 74
    case waiting = 75
    case served = 76

    case copies = 129
    case copied = 130
    case promise = 131
    case promised = 132
    case rows = 133
    case rowsTaken = 134
    case rowsWanted = 135
    case digests = 136

    case forward = 161
    case forwarded = 162

    /// What faults call it.
    var name: StaticString {
        switch self {
        case .ping: "ping"
        case .ack: "ack"
        case .pingRequest: "ping-request"
        case .nack: "nack"
        case .gossip: "gossip"
        case .exchange: "exchange"
        case .join: "join"
        case .refused: "refused"
        case .leave: "leave"
        case .wrongGeneration: "wrong-generation"
        case .voteRequest: "vote-request"
        case .vote: "vote"
        case .append: "append"
        case .appended: "appended"
        case .snapshot: "snapshot"
        case .snapshotTaken: "snapshot-taken"
        case .transfer: "transfer"
        case .charter: "charter"
        case .leaseRequest: "lease-request"
        case .lease: "lease"
        case .leaseRefused: "lease-refused"
        case .notCoordinator: "not-coordinator"
        case .progress: "progress"
        case .handOver: "hand-over"
        case .channelLost: "channel-lost"
        case .tokenRefused: "token-refused"
        case .acceptLoss: "accept-loss"
        case .waiting: "waiting"
        case .served: "served"
        case .copies: "copies"
        case .copied: "copied"
        case .promise: "promise"
        case .promised: "promised"
        case .rows: "rows"
        case .rowsTaken: "rows-taken"
        case .rowsWanted: "rows-wanted"
        case .digests: "digests"
        case .forward: "forward"
        case .forwarded: "forwarded"
        }
    }
}
