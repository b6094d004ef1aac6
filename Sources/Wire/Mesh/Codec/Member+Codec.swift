extension Incarnation: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self.init(generation: try reader.long(), counter: try reader.word())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.long(generation)
        sink.word(counter)
    }
}

/// Members stand behind their length, since what a node says of itself is what grows first.
extension Member: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        self = try reader.nested { (reader) throws(MeshProblem) in try Member(fields: &reader) }
    }

    private init(fields reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            id: try reader.nodeID(), incarnation: try Incarnation(&reader),
            name: try reader.text(limit: Self.nameBytesMax), zone: try reader.text(limit: Self.nameBytesMax),
            weight: try reader.short(), control: try reader.text(limit: Self.endpointBytesMax),
            data: try reader.text(limit: Self.endpointBytesMax),
            producers: try reader.text(limit: Self.endpointBytesMax), minor: try reader.byte())
        let marks = try reader.byte()
        guard marks <= Self.marksMax else { throw .outOfRange }
        self.marks = marks
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.nested({ writeFields(to: &$0) }, { writeFields(to: &$0) })
    }

    private func writeFields<Sink: MeshSink>(to sink: inout Sink) {
        sink.nodeID(id)
        incarnation.write(to: &sink)
        sink.text(name)
        sink.text(zone)
        sink.short(weight)
        sink.text(control)
        sink.text(data)
        sink.text(producers)
        sink.byte(minor)
        sink.byte(marks)
    }
}

extension MemberUpdate: MeshCoded {
    /// Fewest bytes of an update: a verdict.
    static let smallest = 1 + 16 + 12 + 16

    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let state: MemberState = try reader.choice()
        guard state != .alive else {
            self = .alive(try Member(&reader))
            return
        }
        self = .verdict(
            state, node: try reader.nodeID(), incarnation: try Incarnation(&reader), by: try reader.nodeID())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        switch self {
        case .alive(let member):
            sink.byte(MemberState.alive.rawValue)
            member.write(to: &sink)
        case .verdict(let state, let node, let incarnation, let by):
            sink.byte(state.rawValue)
            sink.nodeID(node)
            incarnation.write(to: &sink)
            sink.nodeID(by)
        }
    }
}

extension MemberRow: MeshCoded {
    init(_ reader: inout MeshReader) throws(MeshProblem) {
        let state: MemberState = try reader.choice()
        self.init(member: try Member(&reader), state: state)
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        sink.byte(state.rawValue)
        member.write(to: &sink)
    }
}
