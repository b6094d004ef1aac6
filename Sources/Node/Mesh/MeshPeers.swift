internal import Wire

/// Which nodes the mesh is connected to, by name, and what was known of them then.
struct MeshPeers {
    private var members: [String: Member] = [:]
    /// Names of the configuration with their control endpoints: found there when the member's own address is no help.
    let seeds: [String: String]
    private var complainedAt: [String: Int64] = [:]

    init(seeds: [String: String]) { self.seeds = seeds }

    var names: [String] { members.keys.sorted() }

    /// Whether a member's address is new.
    func isNew(_ member: Member) -> Bool {
        guard let known = members[member.name] else { return true }
        return known.id != member.id || known.control != member.control || known.data != member.data
    }

    mutating func connected(_ member: Member) { members[member.name] = member }

    mutating func forget(_ name: String) {
        members[name] = nil
    }

    /// Whether it is time to complain about a node again: once a minute for each. Bounded; a full table is emptied.
    mutating func mayComplain(about name: String, now: Int64) -> Bool {
        if let at = complainedAt[name], now - at < 60_000 { return false }
        if complainedAt.count >= 1024 { complainedAt.removeAll() }
        complainedAt[name] = now
        return true
    }
}
