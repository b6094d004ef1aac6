internal import Wire

/// What a turn has for other nodes on the data plane: a frame for each, which leaves when it is full or the turn is
/// over.
struct MeshOutbox {
    private struct Outgoing {
        var member: Member
        /// What the frame begins with; another one begins another frame.
        var header: MeshHeader
        var writer: DataFrameWriter
        /// Numbers of the requests in the frame.
        var requests: [UInt64] = []
    }

    private var outgoing: [Outgoing] = []
    private var places: [NodeID: Int] = [:]
    private var dirty: [Int] = []
    /// Messages that no frame can hold.
    private(set) var tooLarge: UInt64 = 0
    /// Requests that could not be sent, to be taken by the owner of the outbox.
    private(set) var unsent: [UInt64] = []

    /// Adds a message; `send` gets frames that are full and says whether they left. `header` is made for the member.
    mutating func add(
        _ message: DataMessage, to member: Member, header: MeshHeader, send: (Member, [UInt8]) -> Bool
    ) {
        let place = place(of: member, header)
        if outgoing[place].header != header {
            if !outgoing[place].writer.isEmpty { leave(place, send) }
            outgoing[place].header = header
            outgoing[place].member = member
        }
        if outgoing[place].writer.isEmpty {
            outgoing[place].writer.reset(header)
            dirty.append(place)
        }
        var result = outgoing[place].writer.append(message)
        if result == .full {
            leave(place, send)
            outgoing[place].writer.reset(header)
            result = outgoing[place].writer.append(message)
        }
        if case .forward(let forward) = message { outgoing[place].requests.append(forward.request) }
        if result == .tooLarge { tooLarge += 1 }
    }

    private mutating func place(of member: Member, _ header: MeshHeader) -> Int {
        if let known = places[member.id] { return known }
        places[member.id] = outgoing.count
        outgoing.append(Outgoing(member: member, header: header, writer: DataFrameWriter(header)))
        return outgoing.count - 1
    }

    private mutating func leave(_ place: Int, _ send: (Member, [UInt8]) -> Bool) {
        if !send(outgoing[place].member, outgoing[place].writer.bytes) { unsent += outgoing[place].requests }
        outgoing[place].requests.removeAll(keepingCapacity: true)
        outgoing[place].writer.reset(outgoing[place].header)
    }

    /// The requests that could not be sent since the last time.
    mutating func takeUnsent() -> [UInt64] {
        defer { unsent.removeAll() }
        return unsent
    }

    /// Sends what was added since the last time.
    mutating func flush(send: (Member, [UInt8]) -> Bool) {
        for place in dirty where !outgoing[place].writer.isEmpty { leave(place, send) }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Forgets the memory kept for nodes that are not wanted any more. After `flush`.
    mutating func keep(only isWanted: (NodeID) -> Bool) {
        guard dirty.isEmpty, outgoing.contains(where: { !isWanted($0.member.id) }) else { return }
        outgoing.removeAll { !isWanted($0.member.id) }
        places = [:]
        for place in outgoing.indices { places[outgoing[place].member.id] = place }
    }
}
