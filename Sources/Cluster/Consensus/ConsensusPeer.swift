import Wire

/// What the leader knows of another member.
struct ConsensusPeer: Hashable, Sendable {
    /// How entries are brought to it.
    enum Mode: UInt8, Hashable, Sendable {
        /// Where the logs agree is not known: one message at a time.
        case probing
        /// Messages follow each other without waiting.
        case streaming
        /// It needs a snapshot first.
        case snapshot
    }

    var mode = Mode.probing
    /// It has everything up to here, durably.
    var matched: UInt64 = 0
    /// What is sent next.
    var next: UInt64
    /// A probe is on its way.
    var isProbed = false
    /// Last index of each message with entries on its way.
    var inflight: [UInt64] = []
    /// The highest commit that it was told of.
    var committedSent: UInt64 = 0
    /// When the newest heartbeat that it has answered was *sent*; nil: none in this term.
    var heardAt: Int64?
    /// The snapshot that is on its way. It stays the same when a newer one is made meanwhile.
    var snapshot: ConsensusSnapshot?
    /// Bytes of it that have arrived.
    var snapshotOffset = 0
    var pieceSentAt: Int64 = 0

    init(next: UInt64) { self.next = next }

    mutating func heard(_ sentAt: Int64) { heardAt = max(heardAt ?? sentAt, sentAt) }

    /// Its log is the same up to `index`.
    mutating func agreed(upTo index: UInt64) {
        matched = max(matched, index)
        inflight.removeAll { $0 <= matched }
        switch mode {
        case .snapshot:
            guard matched >= snapshot?.index ?? 0 else { return }
            snapshot = nil
            next = matched + 1
            mode = .streaming
        case .probing:
            isProbed = false
            mode = .streaming
            next = max(next, matched + 1)
        case .streaming:
            next = max(next, matched + 1)
        }
    }

    /// Its log does not go on where the entries begin; it may agree up to `hint`. An answer to an older message moves
    /// nothing.
    mutating func rejected(hint: UInt64) {
        guard mode != .snapshot, hint >= matched, hint + 1 < next else { return }
        mode = .probing
        isProbed = false
        inflight = []
        next = hint + 1
    }
}
