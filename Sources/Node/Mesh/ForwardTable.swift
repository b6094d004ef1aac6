internal import Wire

/// Requests that other nodes are to answer, until they do, or their time is over, or their node is gone. Bounded; a
/// full table turns requests away.
struct ForwardTable {
    /// Most requests under way.
    static let capacity = 65_536
    /// How long a node may take for its answer, in milliseconds.
    static let timeoutMilliseconds: Int64 = 5000

    private struct Destination: Hashable {
        let node: NodeID
        let generation: UInt64
    }

    private struct Entry {
        let destination: Destination
        let shard: UInt16?
    }

    private var entries: [UInt64: Entry] = [:]
    private var line: [(deadline: Int64, origin: UInt64)] = []
    private var head = 0
    private var counts: [Destination: Int] = [:]

    var count: Int { entries.count }
    var isFull: Bool { entries.count >= Self.capacity || line.count - head >= 2 * Self.capacity }

    /// Notes that a member was asked, as the owner of a shard or, without one, as the coordinator.
    mutating func add(_ origin: UInt64, to member: Member, shard: UInt16? = nil, now: Int64) {
        let destination = Destination(node: member.id, generation: member.incarnation.generation)
        entries[origin] = Entry(destination: destination, shard: shard)
        counts[destination, default: 0] += 1
        line.append((now + Self.timeoutMilliseconds, origin))
    }

    /// A node has answered; false when it was not asked, or its time was over.
    mutating func answered(_ origin: UInt64, by node: NodeID) -> Bool {
        guard let entry = entries[origin], entry.destination.node == node else { return false }
        remove(origin, entry.destination)
        return true
    }

    private mutating func remove(_ origin: UInt64, _ entry: Destination) {
        entries[origin] = nil
        let left = (counts[entry] ?? 1) - 1
        counts[entry] = left > 0 ? left : nil
    }

    /// Gives up the requests whose time is over.
    mutating func expire(now: Int64) -> [UInt64] {
        var over: [UInt64] = []
        while head < line.count, line[head].deadline <= now || entries[line[head].origin] == nil {
            let origin = line[head].origin
            if let entry = entries[origin] {
                remove(origin, entry.destination)
                over.append(origin)
            }
            head += 1
        }
        if head == line.count || head >= 4096 {
            line.removeFirst(head)
            head = 0
        }
        return over
    }

    /// Gives up the requests of nodes whose run is over, in the order in which they were made.
    mutating func abandon(where isGone: (NodeID, _ generation: UInt64) -> Bool) -> [UInt64] {
        let gone = Set(counts.keys.filter { isGone($0.node, $0.generation) })
        guard !gone.isEmpty else { return [] }
        var over: [UInt64] = []
        for (_, origin) in line[head...] {
            guard let entry = entries[origin], gone.contains(entry.destination) else { continue }
            remove(origin, entry.destination)
            over.append(origin)
        }
        return over
    }

    /// Gives up the requests to nodes that do not own the shard any more.
    mutating func abandonMoved(_ owner: (UInt16) -> NodeID?) -> [UInt64] {
        var over: [UInt64] = []
        for (_, origin) in line[head...] {
            guard let entry = entries[origin], let shard = entry.shard, owner(shard) != entry.destination.node else {
                continue
            }
            remove(origin, entry.destination)
            over.append(origin)
        }
        return over
    }

    /// Takes back a request that did not leave; false when nobody waits for it.
    mutating func takeBack(_ origin: UInt64) -> Bool {
        guard let entry = entries[origin] else { return false }
        remove(origin, entry.destination)
        return true
    }
}
