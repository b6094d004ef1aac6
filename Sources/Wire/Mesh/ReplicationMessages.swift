/// Which change of a shard: the epoch of the owner that made it, then the owner's count within the epoch.
public struct ShardVersion: Hashable, Comparable, Sendable {
    /// Ownership epoch, from 1; 0 is "nothing yet".
    public var epoch: UInt64
    /// Counts the owner's changes from 1; (e, 1) opens the epoch and holds no row.
    public var count: UInt64

    /// Before everything.
    public static let zero = ShardVersion(epoch: 0, count: 0)

    /// Makes a version.
    public init(epoch: UInt64, count: UInt64) {
        self.epoch = epoch
        self.count = count
    }

    /// Epoch first.
    public static func < (left: ShardVersion, right: ShardVersion) -> Bool {
        (left.epoch, left.count) < (right.epoch, right.count)
    }
}

/// One row of a shard as it travels.
public struct ShardRow: Hashable, Sendable {
    /// What it holds: `StoredKind`'s number.
    public var kind: UInt8
    /// Its key within kind and shard.
    public var key: [UInt8]
    /// The change that wrote it. In `copies` the section's version.
    public var version: ShardVersion
    /// The value; nil is a tombstone.
    public var value: [UInt8]?

    /// Makes a row.
    public init(kind: UInt8, key: [UInt8], version: ShardVersion, value: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.version = version
        self.value = value
    }
}

/// The messages between the replicas of shards, on the data plane. Everything of one sender arrives in order or not at
/// all; what is lost is found by watermarks.
public enum ReplicationMessage: Hashable, Sendable {
    /// The owner's changes of one of its batches that concern the receiver. `stream` grows by one from each of these
    /// messages to the next of the same sender run to the same receiver.
    case copies(stream: UInt64, sections: [CopySection])
    /// Everything up to `stream` is durable, but for what was refused, each with the receiver's watermark and promise.
    case copied(stream: UInt64, refused: [CopyRefusal])
    /// New owners ask for promises.
    case promise([PromiseRequest])
    /// Promises made, durably.
    case promised([PromiseAnswer])
    /// Rows of a shard, towards a replica that is behind or to a new owner that asked. `from`…`to`; when `isWhole` the
    /// receiver drops every row that is not among the pieces. `piece` counts from 0.
    case rows(RowsPiece)
    /// A piece was taken; after the last one the rows up to `to` are durable.
    case rowsTaken(shard: UInt16, epoch: UInt64, piece: UInt32, to: ShardVersion)
    /// Send me what I lack: a replica or learner to the owner, or a new owner to whoever is ahead.
    case rowsWanted([RowsRequest])
    /// Count and hash of whole shards at a watermark.
    case digests([ShardDigest])
}

/// The changes of one shard.
public struct CopySection: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// The change.
    public var version: ShardVersion
    /// The change before it; the receiver must stand there.
    public var previous: ShardVersion
    /// Tombstones up to this change may be forgotten.
    public var purge: ShardVersion
    /// The rows; their own `version` field is `version`.
    public var rows: [ShardRow]

    /// Makes a section.
    public init(
        shard: UInt16, version: ShardVersion, previous: ShardVersion, purge: ShardVersion = .zero, rows: [ShardRow]
    ) {
        self.shard = shard
        self.version = version
        self.previous = previous
        self.purge = purge
        self.rows = rows
    }
}

/// A section that was not taken.
public struct CopyRefusal: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// Where the refuser stands.
    public var watermark: ShardVersion
    /// The highest epoch it has promised.
    public var promised: UInt64

    /// Makes a refusal.
    public init(shard: UInt16, watermark: ShardVersion, promised: UInt64) {
        self.shard = shard
        self.watermark = watermark
        self.promised = promised
    }
}

/// A new owner asks one replica.
public struct PromiseRequest: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// The epoch that the placement gave to the asker.
    public var epoch: UInt64

    /// Makes a request.
    public init(shard: UInt16, epoch: UInt64) {
        self.shard = shard
        self.epoch = epoch
    }
}

/// What a replica says to a new owner.
public struct PromiseAnswer: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// The epoch that is promised: the one asked for, or a higher one, which means no.
    public var epoch: UInt64
    /// Where it stands.
    public var watermark: ShardVersion
    /// Whether its table counts: false while it is a learner that was never synced.
    public var isValid: Bool

    /// Makes an answer.
    public init(shard: UInt16, epoch: UInt64, watermark: ShardVersion, isValid: Bool) {
        self.shard = shard
        self.epoch = epoch
        self.watermark = watermark
        self.isValid = isValid
    }
}

/// Who is behind asks for rows.
public struct RowsRequest: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// The epoch in which the asker is replica, learner or new owner.
    public var epoch: UInt64
    /// Where it stands.
    public var watermark: ShardVersion

    /// Makes a request.
    public init(shard: UInt16, epoch: UInt64, watermark: ShardVersion) {
        self.shard = shard
        self.epoch = epoch
        self.watermark = watermark
    }
}

/// Rows on their way to one that is behind.
public struct RowsPiece: Hashable, Sendable {
    /// Aim for the bytes of one piece.
    public static let bytesWanted = 65_536

    /// Which shard.
    public var shard: UInt16
    /// The sender's epoch.
    public var epoch: UInt64
    /// Where the receiver stood.
    public var from: ShardVersion
    /// Where it stands after the last piece.
    public var to: ShardVersion
    /// What the owner's epoch began on: a watermark of an earlier epoch above it holds changes that never were.
    public var base: ShardVersion
    /// All rows of the shard, not only those above `from`.
    public var isWhole: Bool
    /// From 0.
    public var piece: UInt32
    /// Whether it is the last.
    public var isLast: Bool
    /// Tombstones up to this change are forgotten.
    public var purge: ShardVersion
    /// The rows with their versions.
    public var rows: [ShardRow]

    /// Makes a piece.
    public init(
        shard: UInt16, epoch: UInt64, from: ShardVersion, to: ShardVersion, base: ShardVersion, isWhole: Bool,
        piece: UInt32, isLast: Bool, purge: ShardVersion, rows: [ShardRow]
    ) {
        self.shard = shard
        self.epoch = epoch
        self.from = from
        self.to = to
        self.base = base
        self.isWhole = isWhole
        self.piece = piece
        self.isLast = isLast
        self.purge = purge
        self.rows = rows
    }
}

/// Count and hash of a shard's rows.
public struct ShardDigest: Hashable, Sendable {
    /// Which shard.
    public var shard: UInt16
    /// The sender's watermark.
    public var watermark: ShardVersion
    /// Rows, tombstones among them.
    public var count: UInt32
    /// XOR of the rows' hashes.
    public var hash: UInt64

    /// Makes a digest.
    public init(shard: UInt16, watermark: ShardVersion, count: UInt32, hash: UInt64) {
        self.shard = shard
        self.watermark = watermark
        self.count = count
        self.hash = hash
    }
}
