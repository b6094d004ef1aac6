import Delivery
import Wire

/// Another node as the shards of this one see it.
struct ShardPeer: Sendable {
    /// A section that the peer has not acknowledged.
    struct Copy: Sendable {
        var stream: UInt64
        var shard: UInt16
        var epoch: UInt64
        var count: UInt64
    }

    /// A message of copies that the peer has not acknowledged.
    struct Message: Sendable {
        var stream: UInt64
        var byteCount: Int
        var sentAt: Int64
    }

    let node: NodeID
    /// Which run of it; 0: not heard of.
    var generation: UInt64 = 0

    // Copies towards it. The upper half of a stream's number grows when something was lost, the lower half counts
    // from 1.

    var stream: UInt64
    var copies = FIFO<Copy>()
    var messages = FIFO<Message>()
    var bytesUnderWay = 0
    var probedAt: Int64 = 0
    /// Whether this stream met a refusal, which is repeated until the stream ends.
    var isRefused = false
    var sections: [CopySection] = []

    // Copies from it.

    var received: UInt64 = 0
    var isAcknowledgementDue = false
    var lostStream: UInt64?
    /// Shards of which a section was refused and nothing taken since that makes up for it, with the newest change that
    /// was refused. Every acknowledgement names them, as the one that did so first may have been lost and the next ones
    /// stand for all that came before.
    var refused: [UInt16: ShardVersion] = [:]

    // Questions to it.

    var toAsk: [UInt16] = []
    var mayBeUnknown = false
    var askAt: Int64 = 0
    var askDelay: Int64 = 0
    var wanted: [RowsRequest] = []

    // Rows towards it.

    var jobs = FIFO<RowsJob>()
    var transfers: [RowsTransfer] = []
    var rowBytesUnderWay = 0

    init(node: NodeID, stream: UInt64) {
        self.node = node
        self.stream = stream
    }

    /// Everything of a shard up to this change is here.
    mutating func makeUp(_ shard: UInt16, upTo version: ShardVersion) {
        guard let newest = refused[shard], newest <= version else { return }
        refused[shard] = nil
    }

    /// A run of the peer knows nothing of what was sent to the one before.
    mutating func restart(generation: UInt64) {
        self = ShardPeer(node: node, stream: (stream >> 32 + 1) << 32)
        self.generation = generation
    }
}

/// Rows of a shard that wait to go to a peer.
struct RowsJob: Sendable {
    var shard: UInt16
    var epoch: UInt64
    var from: ShardVersion
    var isWhole: Bool
    /// The peer is a new owner that asked, and not a member of a shard that is owned here.
    var isForOwner: Bool
    /// The member's `job` while this is the newest.
    var serial: UInt64 = 0
}

/// Rows of a shard on their way to a peer.
struct RowsTransfer: Sendable {
    var job: RowsJob
    var to: ShardVersion
    var base: ShardVersion
    var purge: ShardVersion
    var rows: [ShardRow]
    var next = 0
    var piece: UInt32 = 0
    var isSent = false
    /// Pieces that were not answered.
    var underWay = FIFO<(piece: UInt32, byteCount: Int)>()
    var progressAt: Int64
}

/// Rows of a shard that come from a peer.
struct RowsArrival: Sendable {
    var peer: Int
    var epoch: UInt64
    var to: ShardVersion
    var nextPiece: UInt32 = 0
    /// Kept until the last piece is here, when the table must stay valid until then.
    var staged: [ShardRow] = []
    var byteCount = 0
}
