import Delivery
import Wire

extension Membership {
    /// Without a charter a node passes on only what it knows of others without one: what it hears of a cluster before
    /// it belongs to it must not leak into another cluster.
    func mayTell(of peer: Peer) -> Bool { cluster != .none || peer.cluster == .none }

    /// What goes with a message to `receiver`: its own bad news first (Lifeguard's buddy system), then what was told
    /// least often.
    mutating func gossip(for receiver: NodeID, now: Moment, ownFirst: Bool = false) -> Gossip {
        var updates: [MemberUpdate] = []
        if let index = table.index(of: receiver) {
            let peer = table[index]
            if peer.state != .alive { updates.append(peer.update) }
            if ownFirst || !peer.knowsUs { updates.append(ownUpdate) }
        }
        if hasNews { addNews(to: &updates, receiver: receiver) }
        return Gossip(
            updates: updates, stateIndex: stateIndex, wallMilliseconds: now.wallMilliseconds, health: UInt8(health))
    }

    private mutating func addNews(to updates: inout [MemberUpdate], receiver: NodeID) {
        let most = tellMost
        for id in news(except: receiver) {
            guard updates.count < Gossip.updatesMax else { return }
            guard let index = table.index(of: id) else {
                if !updates.contains(where: { $0.node == me.id }) { updates.append(ownUpdate) }
                ownTold = Self.told(ownTold, most: most)
                continue
            }
            let peer = table[index]
            // Whoever is to take a newcomer must know that the former bearer of the name is gone.
            if peer.state == .alive, let former = table.named(peer.member.name, except: id), !former.isPresent,
                !updates.contains(where: { $0.node == former.id })
            {
                guard updates.count + 2 <= Gossip.updatesMax else { continue }
                updates.append(former.update)
            }
            if !updates.contains(where: { $0.node == id }) { updates.append(peer.update) }
            table[index].told = Self.told(peer.told, most: most)
        }
        recount()
    }

    /// Whom there is something to tell about: what was told least often first, then by ID.
    private func news(except receiver: NodeID) -> [NodeID] {
        var news: [(told: Int, id: NodeID)] = []
        if let ownTold { news.append((ownTold, me.id)) }
        for peer in table.peers where peer.id != receiver && mayTell(of: peer) {
            if let told = peer.told { news.append((told, peer.id)) }
        }
        return news.sorted { ($0.told, $0.id) < ($1.told, $1.id) }.prefix(2 * Gossip.updatesMax).map(\.id)
    }

    private static func told(_ told: Int?, most: Int) -> Int? {
        guard let told, told + 1 < most else { return nil }
        return told + 1
    }

    /// How often one change is passed on: enough for an epidemic to reach everybody with a margin.
    private var tellMost: Int { 4 * max(1, Logarithm.decimalCeiling(presentCount + 2)) }

    private var ownUpdate: MemberUpdate {
        isLeaving ? .verdict(.left, node: me.id, incarnation: me.incarnation, by: me.id) : .alive(me)
    }

    /// The whole table, as far as it may be told.
    var exchangeRows: [MemberRow] {
        rows.filter { row in
            guard row.member.id != me.id, let index = table.index(of: row.member.id) else { return true }
            return mayTell(of: table[index])
        }
    }

    mutating func sendExchange(to index: Int, isReply: Bool, now: Moment, into effects: inout [MembershipEffect]) {
        let member = table[index].member
        let gossip = gossip(for: member.id, now: now)
        effects.append(.send(.exchange(rows: exchangeRows, isReply: isReply, gossip), to: member))
    }

    /// Takes the news of a message. True when this node had to contradict some of it.
    mutating func absorb(
        _ gossip: Gossip, _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) -> Bool {
        var hasRefuted = false
        for update in gossip.updates.prefix(Gossip.updatesMax) {
            guard mayTake(newsOf: update.node, from: header) else { continue }
            switch update {
            case .alive(let member):
                takeAlive(member, cluster: header.cluster, from: header.sender, now: now, into: &effects)
            case .verdict(let state, let node, let incarnation, let by):
                let verdict = Verdict(state: state, node: node, incarnation: incarnation, accuser: by)
                if take(verdict, now: now, into: &effects) { hasRefuted = true }
            }
        }
        return hasRefuted
    }

    /// Takes a full table. True when this node had to contradict some of it.
    mutating func absorb(
        rows: [MemberRow], _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) -> Bool {
        var hasRefuted = false
        if rows.count > settings.membersMax { counters.overflow += UInt64(rows.count - settings.membersMax) }
        for row in rows.prefix(settings.membersMax) where mayTake(newsOf: row.member.id, from: header) {
            if take(row, header, now: now, into: &effects) { hasRefuted = true }
        }
        return hasRefuted
    }

    /// From a node without a charter a member of a cluster takes only what that node says of itself.
    private func mayTake(newsOf node: NodeID, from header: MeshHeader) -> Bool {
        header.cluster != .none || knownCluster == .none || node == header.sender || node == me.id
    }
}
