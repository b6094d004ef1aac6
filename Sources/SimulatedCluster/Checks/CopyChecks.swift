internal import Cluster
internal import Wire

/// I13, I14 and I18 by what is true of all nodes: who serves a shard, from which change on, and what every copy of it
/// is at the same change.
struct CopyChecks: Sendable {
    private struct Moment: Hashable, Sendable {
        var shard: UInt16
        var version: ShardVersion
    }

    private struct Content: Hashable, Sendable {
        var count: UInt32
        var hash: UInt64
    }

    /// What one node has of one shard.
    private struct Place: Sendable {
        var watermark = ShardVersion.zero
        var openedEpoch: UInt64 = 0
        var purged = ShardVersion.zero
        var isActive = false
        /// When the node last ceased to serve it.
        var leftAt = Int64.min
    }

    let watched: [UInt16]
    private var places: [[Place]]
    private var contents: [Moment: Content] = [:]
    private var committed: [ShardVersion]
    private var openings: [[(epoch: UInt64, base: ShardVersion)]]

    init(nodes: Int, watched: [UInt16]) {
        self.watched = watched
        places = [[Place]](repeating: [Place](repeating: Place(), count: watched.count), count: nodes)
        committed = [ShardVersion](repeating: .zero, count: watched.count)
        openings = [[(epoch: UInt64, base: ShardVersion)]](repeating: [], count: watched.count)
    }

    mutating func started(_ node: Int) {
        for at in watched.indices {
            places[node][at] = Place(leftAt: places[node][at].leftAt)
        }
    }

    func isWatched(_ shard: UInt16) -> Bool { watched.contains(shard) }

    /// When a node ceased to serve a shard; nil while it serves it.
    func leftAt(_ node: Int, _ shard: UInt16) -> Int64? {
        guard let at = watched.firstIndex(of: shard), !places[node][at].isActive else { return nil }
        return places[node][at].leftAt
    }

    /// What was committed of a shard may be lost.
    mutating func forget(_ shard: UInt16) {
        guard let at = watched.firstIndex(of: shard) else { return }
        committed[at] = .zero
        openings[at] = []
    }

    /// A core has ended a turn. `begun`: shards that it serves from now on; `purged`: those of which it forgets deleted
    /// rows.
    mutating func turned(
        _ core: borrowing NodeCore, on node: Int, at time: Int64, begun: inout [UInt16], purged: inout [UInt16]
    ) -> Checks.Problem? {
        for (at, shard) in watched.enumerated() {
            if let problem = looked(core, node, at, shard, time, &begun) { return problem }
            guard places[node][at].isActive else { continue }
            let purge = core.purged(of: shard)
            if purge > places[node][at].purged { purged.append(shard) }
            places[node][at].purged = purge
        }
        return nil
    }

    private mutating func looked(
        _ core: borrowing NodeCore, _ node: Int, _ at: Int, _ shard: UInt16, _ time: Int64, _ begun: inout [UInt16]
    ) -> Checks.Problem? {
        let watermark = core.watermark(of: shard)
        if watermark != places[node][at].watermark {
            places[node][at].watermark = watermark
            if core.isValid(shard), let problem = isSame(core, shard) { return problem }
        }
        let opened = core.opened(shard)
        if places[node][at].isActive, opened?.epoch != places[node][at].openedEpoch {
            places[node][at].isActive = false
            places[node][at].leftAt = time
        }
        guard let opened else { return nil }
        if opened.epoch != places[node][at].openedEpoch {
            places[node][at].openedEpoch = opened.epoch
            if let problem = opens(at, shard, opened.epoch, opened.base) { return problem }
        }
        if !places[node][at].isActive, core.role(of: shard) == .owner(.active) {
            places[node][at].isActive = true
            begun.append(shard)
        }
        return commits(at, shard, core.committed(of: shard))
    }

    /// Copies that are complete up to the same change have the same rows.
    private mutating func isSame(_ core: borrowing NodeCore, _ shard: UInt16) -> Checks.Problem? {
        guard let digest = core.digest(of: shard), digest.watermark != .zero else { return nil }
        let content = Content(count: digest.count, hash: digest.hash)
        let moment = Moment(shard: shard, version: digest.watermark)
        guard let known = contents[moment] else {
            contents[moment] = content
            return nil
        }
        guard known != content else { return nil }
        return (
            .replicasAgree,
            "its copy of shard \(shard) at \(Self.text(digest.watermark)) has \(content.count) rows and is not the one"
                + " of \(known.count) rows that another node had there"
        )
    }

    /// An epoch begins with everything that was committed before it.
    private mutating func opens(_ at: Int, _ shard: UInt16, _ epoch: UInt64, _ base: ShardVersion) -> Checks.Problem? {
        openings[at].append((epoch, base))
        guard committed[at].epoch < epoch, base < committed[at] else { return nil }
        return (
            .acknowledgedIsCopied,
            "it opens epoch \(epoch) of shard \(shard) on \(Self.text(base)), and"
                + " \(Self.text(committed[at])) was committed"
        )
    }

    /// Nothing is committed that a later epoch which has begun does not have.
    private mutating func commits(_ at: Int, _ shard: UInt16, _ version: ShardVersion) -> Checks.Problem? {
        guard version > committed[at] else { return lateCommit(at, shard, version) }
        committed[at] = version
        return lateCommit(at, shard, version)
    }

    private func lateCommit(_ at: Int, _ shard: UInt16, _ version: ShardVersion) -> Checks.Problem? {
        guard let newer = openings[at].last(where: { $0.epoch > version.epoch && $0.base < version }) else {
            return nil
        }
        return (
            .acknowledgedIsCopied,
            "it commits \(Self.text(version)) of shard \(shard), and epoch \(newer.epoch) has begun on"
                + " \(Self.text(newer.base))"
        )
    }

    static func text(_ version: ShardVersion) -> String { "(\(version.epoch), \(version.count))" }
}
