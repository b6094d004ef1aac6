import Wire

/// The stored forms of consensus. Each row ends with a checksum over its key and everything before.
///
///     consensus    key 01          version, term u64, has vote u8, vote 16, damaged term u64, checksum u32
///     log entry    key index u64   version, term u64, kind u8, payload, checksum u32
///     snapshot     key 01          version, index u64, term u64, voters (counted), state, checksum u32
enum ConsensusRows {
    static let layoutVersion: UInt8 = 1
    static let key: [UInt8] = [1]

    // MARK: Term and vote

    static func write(_ ballot: Ballot) -> StoreWrite {
        var row = RowWriter(capacity: 38)
        row.byte(layoutVersion)
        row.long(ballot.term)
        row.flag(ballot.vote != nil)
        row.long(ballot.vote?.high ?? 0)
        row.long(ballot.vote?.low ?? 0)
        row.long(ballot.damagedTerm)
        return StoreWrite(kind: .consensus, key: key, value: sealed(row.bytes, key: key))
    }

    static func readBallot(key: [UInt8], value: [UInt8]) -> Ballot? {
        guard key == self.key, let body = opened(value, key: key) else { return nil }
        var row = RowReader(body)
        guard row.byte() == layoutVersion, let term = row.long(), let hasVote = row.flag(), let high = row.long(),
            let low = row.long(), let damagedTerm = row.long(), row.isAtEnd, term <= Consensus.termMax
        else { return nil }
        return Ballot(term: term, vote: hasVote ? NodeID(high: high, low: low) : nil, damagedTerm: damagedTerm)
    }

    // MARK: Entries

    static func key(of index: UInt64) -> [UInt8] {
        var row = RowWriter(capacity: 8)
        row.long(index)
        return row.bytes
    }

    static func write(_ entry: LogEntry) -> StoreWrite {
        let key = key(of: entry.index)
        var row = RowWriter(capacity: 14)
        row.byte(layoutVersion)
        row.long(entry.term)
        row.byte(entry.kind.rawValue)
        return StoreWrite(kind: .logEntry, key: key, value: sealed(row.bytes + entry.payload, key: key))
    }

    static func delete(entry index: UInt64) -> StoreWrite {
        StoreWrite(kind: .logEntry, key: key(of: index), value: nil)
    }

    static func index(ofKey key: [UInt8]) -> UInt64? {
        var row = RowReader(key)
        guard let index = row.long(), row.isAtEnd else { return nil }
        return index
    }

    static func readEntry(key: [UInt8], value: [UInt8]) -> LogEntry? {
        guard let index = index(ofKey: key), (1...Consensus.indexMax).contains(index),
            let body = opened(value, key: key)
        else { return nil }
        var row = RowReader(body)
        guard row.byte() == layoutVersion, let term = row.long(), (1...Consensus.termMax).contains(term),
            let kind = row.byte().flatMap(LogEntry.Kind.init(rawValue:)), body.count - 10 <= LogEntry.bytesMax
        else { return nil }
        return LogEntry(term: term, index: index, kind: kind, payload: Array(body[10...]))
    }

    // MARK: Snapshot

    static func write(_ snapshot: ConsensusSnapshot) -> StoreWrite {
        let voters = snapshot.voters.encoded()
        var row = RowWriter(capacity: 21)
        row.byte(layoutVersion)
        row.long(snapshot.index)
        row.long(snapshot.term)
        row.word(UInt32(voters.count))
        return StoreWrite(
            kind: .logSnapshot, key: key, value: sealed(row.bytes + voters + snapshot.state, key: key))
    }

    static func readSnapshot(key: [UInt8], value: [UInt8]) -> ConsensusSnapshot? {
        guard key == self.key, let body = opened(value, key: key) else { return nil }
        var row = RowReader(body)
        guard row.byte() == layoutVersion, let index = row.long(), (1...Consensus.indexMax).contains(index),
            let term = row.long(), (1...Consensus.termMax).contains(term), let count = row.word().map(Int.init),
            body.count - 21 >= count, case .success(let voters) = VoterSet.decode(Array(body[21..<21 + count]))
        else { return nil }
        return ConsensusSnapshot(index: index, term: term, voters: voters, state: Array(body[(21 + count)...]))
    }

    // MARK: Checksums

    private static func sealed(_ body: [UInt8], key: [UInt8]) -> [UInt8] {
        var row = RowWriter(capacity: 4)
        row.word(Checksum.crc32c(key + body))
        return body + row.bytes
    }

    private static func opened(_ value: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard value.count > 4 else { return nil }
        let body = Array(value[..<(value.count - 4)])
        var row = RowReader(Array(value[(value.count - 4)...]))
        guard row.word() == Checksum.crc32c(key + body) else { return nil }
        return body
    }
}

/// What a voter must never forget.
struct Ballot: Hashable, Sendable {
    /// The damaged term of a node that has lost its ballot: it never votes again under its name.
    static let lost = UInt64.max

    var term: UInt64 = 0
    /// Who got this node's vote in `term`.
    var vote: NodeID?
    /// 0, or: entries that this node had acknowledged may be missing, so it gives no vote until an entry of a higher
    /// term is committed here.
    var damagedTerm: UInt64 = 0
}

/// The applied state at (`index`, `term`) and the voters there.
struct ConsensusSnapshot: Hashable, Sendable {
    var index: UInt64
    var term: UInt64
    var voters: VoterSet
    var state: [UInt8]
}
