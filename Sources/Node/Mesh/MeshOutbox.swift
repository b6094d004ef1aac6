internal import Wire

/// What a turn has for other nodes on the data plane: a frame for each, which leaves when it is full or the turn is
/// over.
struct MeshOutbox {
    private struct Outgoing {
        var member: Member
        var writer: DataFrameWriter
    }

    private var outgoing: [NodeID: Outgoing] = [:]
    private var dirty: [NodeID] = []
    /// Messages that no frame can hold.
    private(set) var tooLarge: UInt64 = 0

    /// Adds a message; `send` gets frames that are full. `header` is made for the member.
    mutating func add(
        _ message: DataMessage, to member: Member, header: MeshHeader, send: (Member, [UInt8]) -> Void
    ) {
        let id = member.id
        if let known = outgoing[id], known.member != member, !known.writer.isEmpty {
            send(known.member, known.writer.bytes)
            outgoing[id]?.writer.reset(header)
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
            send(member, entry.writer.bytes)
            entry.writer.reset(header)
            result = entry.writer.append(message)
        }
        if result == .tooLarge { tooLarge += 1 }
    }

    /// Sends what was added since the last time.
    mutating func flush(send: (Member, [UInt8]) -> Void) {
        for id in dirty {
            guard let entry = outgoing[id], !entry.writer.isEmpty else { continue }
            send(entry.member, entry.writer.bytes)
            outgoing[id]?.writer.reset(MeshHeader(cluster: .none, sender: .none, generation: 0))
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Forgets the memory kept for nodes that are not wanted any more.
    mutating func keep(only isWanted: (NodeID) -> Bool) {
        for id in outgoing.keys where !isWanted(id) { outgoing[id] = nil }
    }
}
