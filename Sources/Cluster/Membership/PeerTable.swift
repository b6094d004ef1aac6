import Wire

/// The other members, in the order of their IDs.
struct PeerTable: Hashable, Sendable {
    private(set) var peers: [Peer] = []

    var count: Int { peers.count }
    var indices: Range<Int> { peers.indices }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    func index(of id: NodeID) -> Int? {
        let place = place(of: id)
        return place < peers.count && peers[place].id == id ? place : nil
    }

    /// Adds a peer whose ID is not there yet.
    @discardableResult
    mutating func insert(_ peer: Peer) -> Int {
        let place = place(of: peer.id)
        peers.insert(peer, at: place)
        return place
    }

    mutating func remove(at index: Int) { peers.remove(at: index) }

    mutating func removeAll(where unwanted: (Peer) -> Bool) { peers.removeAll(where: unwanted) }

    /// The one that counts among those of a name: who is present rather than not, the latest run, the lowest ID.
    func named(_ name: String, except id: NodeID = .none) -> Peer? {
        var best: Peer?
        for peer in peers where peer.member.name == name && peer.id != id {
            guard let other = best else {
                best = peer
                continue
            }
            let isNewer = peer.member.incarnation.generation > other.member.incarnation.generation
            if peer.isPresent != other.isPresent ? peer.isPresent : isNewer { best = peer }
        }
        return best
    }

    private func place(of id: NodeID) -> Int {
        var low = 0
        var high = peers.count
        while low < high {
            let middle = (low + high) / 2
            if peers[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
