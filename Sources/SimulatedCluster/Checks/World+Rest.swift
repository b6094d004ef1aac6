internal import Cluster

/// What must hold when everything has come to rest, and what an acknowledgement claims.
extension World {
    private static var forgetsLossAfter: Int64 { 5_000 }

    /// I14: an acknowledged event, or a newer one of its name, lies on as many disks as it takes.
    mutating func checkCopies(of mark: EventMark, claimed: Int, _ node: Int) {
        let shard = shardNumber(ofProducer: mark.producer)
        let isLost = scheme.lostShards.contains(shard)
        // A shard of which too little was left begins with one copy.
        let needed = isLost ? nodes[node].core.state.placement[shard].copiesNeeded : min(2, nodes.count)
        let newest = nodes.map { $0.disk.newest(mark.producer) }
        // A disk that has just been lost held what this acknowledgement counts on: nobody can know yet.
        let lost = nodes.count {
            $0.lostAt > time - Self.forgetsLossAfter && $0.lostEvents[mark.producer].map { $0 >= mark } ?? false
        }
        let copies = lost + newest.count { $0.map { $0 >= mark } ?? false }
        guard copies < needed || claimed < needed else { return }
        let found = newest.map { $0.map { "\($0.instance)/\($0.number)" } ?? "none" }.joined(separator: ", ")
        fail(
            .acknowledgedIsCopied, node,
            "\(mark) is acknowledged with \(claimed) copies, and \(copies) of the \(needed) that it takes are on disk:"
                + " \(found)")
    }

    mutating func checkRest() {
        checkCores()
        checkDeviceTokens()
        checkStarts()
        for index in phones.indices { checkShown(index) }
        for index in producers.indices { checkAnswered(index) }
    }

    private mutating func checkAnswered(_ index: Int) {
        guard let oldest = producers[index].unanswered.first else { return }
        fail(.liveness, nil, "\(oldest.mark) is still not answered after \(options.restMilliseconds) ms of calm")
    }

    /// I17: every device shows the newest acknowledged state of its instance, or a newer one.
    private mutating func checkShown(_ index: Int) {
        let phone = phones[index]
        guard phone.isRegistered, !phone.isLate, !phone.isDead, !phone.mayBeBehind else { return }
        let producer = producers[phone.producer]
        guard let newest = producer.acknowledged[phone.instance] else { return }
        let (state, hasEnded, stamp, _) = apple.shown(activity: phone.activity)
        let shown = EventMark(in: Array("\"content-state\":".utf8) + state)?.number ?? -1
        let name = "\(phone.producer)#\(phone.instance)"
        guard shown >= newest else {
            return fail(
                .lastStateArrives, nil,
                "a device of name \(name) shows \(shown) (stamp \(stamp ?? 0)), not \(newest)")
        }
        guard !producer.ended.contains(phone.instance) || hasEnded else {
            return fail(.lastStateArrives, nil, "a device of name \(name) has not ended")
        }
    }
}
