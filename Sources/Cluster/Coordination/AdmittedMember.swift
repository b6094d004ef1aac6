public import Wire

/// A member as the cluster state knows it.
public struct AdmittedMember: Hashable, Sendable {
    /// A small number that no other member ever had or will have.
    public var number: UInt16
    /// The run that its shards' epochs are made for; leases go to no other.
    public var generation: UInt64
    /// How it described itself last; the incarnation in it says nothing.
    public var member: Member
    /// It was removed for good: this identity never comes back.
    public var isRemoved: Bool

    /// It takes shards: it was not removed and does not leave for good.
    public var takesShards: Bool { !isRemoved && member.weight > 0 }
    /// It wants to leave for good (a draining member of weight 0): its copies are replaced, then it is removed.
    public var leaves: Bool { !isRemoved && member.isDraining && member.weight == 0 }

    /// The stored form.
    func write(into row: inout RowWriter) {
        row.short(number)
        row.long(generation)
        row.flag(isRemoved)
        member.write(into: &row)
    }

    /// Makes a member.
    init(number: UInt16, generation: UInt64, member: Member, isRemoved: Bool = false) {
        self.number = number
        self.generation = generation
        self.member = member
        self.isRemoved = isRemoved
    }

    /// Reads the stored form; nil when the bytes are none.
    init?(from row: inout RowReader) {
        guard let number = row.short(), let generation = row.long(), let isRemoved = row.flag(),
            let member = Member(from: &row)
        else { return nil }
        self.init(number: number, generation: generation, member: member, isRemoved: isRemoved)
    }
}

extension NodeID {
    func write(into row: inout RowWriter) {
        row.long(high)
        row.long(low)
    }

    init?(from row: inout RowReader) {
        guard let high = row.long(), let low = row.long() else { return nil }
        self.init(high: high, low: low)
    }
}

extension Member {
    /// The form in the coordinator's log; the counter of the incarnation is not in it.
    func write(into row: inout RowWriter) {
        id.write(into: &row)
        row.long(incarnation.generation)
        for text in [name, zone, control, data, producers] { row.string(Array(text.utf8)) }
        row.short(weight)
        row.byte(minor)
        row.byte(marks)
    }

    /// Reads that form; nil when the bytes are none.
    init?(from row: inout RowReader) {
        func text(_ limit: Int) -> String? {
            row.string(limit: limit).flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let id = NodeID(from: &row), let generation = row.long(), let name = text(Self.nameBytesMax),
            let zone = text(Self.nameBytesMax), let control = text(Self.endpointBytesMax),
            let data = text(Self.endpointBytesMax), let producers = text(Self.endpointBytesMax),
            let weight = row.short(), let minor = row.byte(), let marks = row.byte(),
            marks <= Self.marksMax
        else { return nil }
        self.init(
            id: id, incarnation: Incarnation(generation: generation), name: name, zone: zone, weight: weight,
            control: control, data: data, producers: producers, minor: minor)
        self.marks = marks
    }

    /// Whether the description differs in anything that the cluster state keeps.
    func describesOtherwise(than other: Member) -> Bool {
        var same = other
        same.incarnation = incarnation
        return same != self
    }
}
