internal import Wire

/// I8 on the wire: a node's incarnation grows, and nobody knows a higher one than the node itself has said.
struct MembershipChecks: Sendable {
    private var own: [NodeID: Incarnation] = [:]

    mutating func started(_ member: Member, on node: Int) -> Checks.Problem? {
        guard let before = own[member.id] else {
            own[member.id] = member.incarnation
            return nil
        }
        guard before.generation < member.incarnation.generation else {
            return (.incarnationIsOwn, "it started with generation \(member.incarnation.generation) again")
        }
        own[member.id] = member.incarnation
        return nil
    }

    mutating func sent(_ message: MembershipMessage, _ header: MeshHeader) -> Checks.Problem? {
        switch message {
        case .ping(_, let gossip), .ack(_, let gossip), .pingRequest(_, _, let gossip), .gossip(let gossip):
            return said(gossip.updates, header)
        case .exchange(let rows, _, let gossip):
            for row in rows {
                if let problem = said(row.member.id, row.member.incarnation, header) { return problem }
            }
            return said(gossip.updates, header)
        case .join(_, let member): return said(member.id, member.incarnation, header)
        case .wrongGeneration(let member): return said(member.id, member.incarnation, header)
        case .leave(let incarnation): return said(header.sender, incarnation, header)
        case .nack, .refused: return nil
        }
    }

    private mutating func said(_ updates: [MemberUpdate], _ header: MeshHeader) -> Checks.Problem? {
        for update in updates {
            if let problem = said(update.node, update.incarnation, header) { return problem }
        }
        return nil
    }

    private mutating func said(
        _ node: NodeID, _ incarnation: Incarnation, _ header: MeshHeader
    ) -> Checks.Problem? {
        let known = own[node] ?? Incarnation(generation: 0)
        if node == header.sender, incarnation > known, incarnation.generation == header.generation {
            own[node] = incarnation
            return nil
        }
        guard incarnation > known else { return nil }
        return (.incarnationIsOwn, "it speaks of an incarnation of a node that this node never had")
    }
}
