internal import Wire

/// Which nodes the mesh is connected to, by name, and what was known of them then.
struct MeshPeers {
    private var members: [String: Member] = [:]
    /// Names of the configuration with their control endpoints: found there when the member's own address is no help.
    let seeds: [String: String]
    private var complainedAt: [String: Int64] = [:]
    /// The newest run of each that was connected to.
    private var generations: [String: UInt64] = [:]

    init(seeds: [String: String]) { self.seeds = seeds }

    var names: [String] { members.keys.sorted() }

    /// Whether a member's address is new, or it has started again.
    func isNew(_ member: Member) -> Bool {
        guard let known = members[member.name] else { return true }
        return known.id != member.id || known.control != member.control || known.data != member.data
            || known.incarnation.generation < member.incarnation.generation
    }

    /// Takes note of a connection; whether the member has started again since the one before.
    mutating func connected(_ member: Member) -> Bool {
        let generation = member.incarnation.generation
        members[member.name] = member
        let before = generations.updateValue(max(generation, generations[member.name] ?? 0), forKey: member.name)
        return before.map { $0 < generation } ?? false
    }

    /// The member is gone for good.
    mutating func remove(_ name: String) {
        forget(name)
        generations[name] = nil
    }

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
