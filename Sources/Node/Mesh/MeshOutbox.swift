internal import Wire

/// What a turn has for other nodes on the data plane: a frame for each, which leaves when it is full or the turn is
/// over.
struct MeshOutbox {
    private struct Outgoing {
        var member: Member
        var writer: DataFrameWriter
        /// Numbers of the requests in the frame.
        var requests: [UInt64] = []
    }

    private var outgoing: [NodeID: Outgoing] = [:]
    private var dirty: [NodeID] = []
    /// Messages that no frame can hold.
    private(set) var tooLarge: UInt64 = 0
    /// Requests that could not be sent, to be taken by the owner of the outbox.
    private(set) var unsent: [UInt64] = []

    /// Adds a message; `send` gets frames that are full and says whether they left. `header` is made for the member.
    mutating func add(
        _ message: DataMessage, to member: Member, header: MeshHeader, send: (Member, [UInt8]) -> Bool
    ) {
        let id = member.id
        if var known = outgoing[id], known.member != member, !known.writer.isEmpty {
            leave(&known, send)
            outgoing[id] = known
        }
        if outgoing[id] == nil { outgoing[id] = Outgoing(member: member, writer: DataFrameWriter(header)) }
        outgoing[id]?.member = member
        guard var entry = outgoing.removeValue(forKey: id) else { return }
        defer { outgoing[id] = entry }
        if entry.writer.isEmpty {
            entry.writer.reset(header)
            dirty.append(id)
        }
        var result = entry.writer.append(message)
        if result == .full {
            leave(&entry, send)
            entry.writer.reset(header)
            result = entry.writer.append(message)
        }
        if case .forward(let forward) = message { entry.requests.append(forward.request) }
        if result == .tooLarge { tooLarge += 1 }
    }

    private mutating func leave(_ entry: inout Outgoing, _ send: (Member, [UInt8]) -> Bool) {
        if !send(entry.member, entry.writer.bytes) { unsent += entry.requests }
        entry.requests.removeAll(keepingCapacity: true)
        entry.writer.reset(MeshHeader(cluster: .none, sender: .none, generation: 0))
    }

    /// The requests that could not be sent since the last time.
    mutating func takeUnsent() -> [UInt64] {
        defer { unsent.removeAll() }
        return unsent
    }

    /// Sends what was added since the last time.
    mutating func flush(send: (Member, [UInt8]) -> Bool) {
        for id in dirty {
            guard var entry = outgoing.removeValue(forKey: id) else { continue }
            if !entry.writer.isEmpty { leave(&entry, send) }
            outgoing[id] = entry
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Forgets the memory kept for nodes that are not wanted any more.
    mutating func keep(only isWanted: (NodeID) -> Bool) {
        for id in outgoing.keys where !isWanted(id) { outgoing[id] = nil }
    }
}
