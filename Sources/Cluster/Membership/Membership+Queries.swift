public import Wire

extension Membership {
    /// Everybody that is known and not removed, this node among them, by ID.
    public var rows: [MemberRow] {
        var rows = table.peers.map(\.row)
        let place = rows.firstIndex { me.id < $0.member.id } ?? rows.count
        rows.insert(ownRow, at: place)
        return rows
    }

    /// What is known of one node.
    public func row(_ id: NodeID) -> MemberRow? {
        if id == me.id { return ownRow }
        return table.index(of: id).map { table[$0].row }
    }

    /// The member of a name: who is alive or suspect rather than not, then the latest run.
    public func member(named name: String) -> Member? {
        if name == me.name { return me }
        return table.named(name)?.member
    }

    /// A peer's clock minus this node's, in milliseconds; nil until it was measured.
    public func clockOffset(of id: NodeID) -> Int64? {
        if id == me.id { return 0 }
        return table.index(of: id).flatMap { table[$0].clock?.offset }
    }

    /// This node's clock minus the median of all living members' (its own among them), in milliseconds; nil while no
    /// peer was measured. Of an even number the middle between the two in the middle counts.
    public var clockOffsetMilliseconds: Int64? {
        medianOffset.map { -$0 }
    }

    /// The median of the members' clocks minus this node's. Who is only suspect counts: were it left out, the one
    /// that is measured could be all that is known of clocks, and its own would pass.
    var medianOffset: Int64? {
        var offsets = table.peers.compactMap { $0.state == .alive || $0.state == .suspect ? $0.clock?.offset : nil }
        guard !offsets.isEmpty else { return nil }
        offsets.append(0)
        offsets.sort()
        let middle = offsets.count / 2
        if offsets.count % 2 == 1 { return offsets[middle] }
        return (offsets[middle - 1] / 2) + (offsets[middle] / 2)
    }

    /// When `tick` is to be called, in milliseconds since boot.
    public var nextDeadline: Int64 {
        guard hasStarted else { return 0 }
        var next = min(deadProbeDue, seedDue)
        for relay in relays { next = min(next, relay.nackDeadline ?? relay.end) }
        if presentCount > 0 {
            if hasNews { next = min(next, gossipDue) }
            guard !isLeaving else { return next }
            next = min(next, exchangeDue, earliestSuspicion)
            if let probe {
                next = min(next, probe.isAnswered ? probe.end : probe.askDeadline ?? probe.end)
            } else {
                next = min(next, probeDue)
            }
        }
        return next
    }

    private var ownRow: MemberRow { MemberRow(member: me, state: isLeaving ? .left : .alive) }
}
