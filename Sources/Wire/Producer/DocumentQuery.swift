/// `node-status`: an admin asks a node for a JSON document about itself, answered by `node-status`.
public struct DocumentQuery: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "node-status"

    /// What the document is about.
    public enum Subject: Hashable, Sendable {
        /// How the node is, and what it knows of its cluster.
        case status
        /// Who owns and keeps which shard; with a key also where that one lies.
        case shards(of: Target?)
        /// What the node remembers of an event's way.
        case trace(EventID)
    }

    private enum What: String, CaseIterable {
        case status, shards, trace
    }

    /// Echoed by the answer.
    public var sequence: Int64
    /// What is asked for.
    public var subject: Subject

    /// Makes the message.
    public init(sequence: Int64, _ subject: Subject = .status) {
        self.sequence = sequence
        self.subject = subject
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        guard try header.name("what", limit: 32) != nil else {
            subject = .status
            return
        }
        switch try header.requireWord("what", What.self) {
        case .status: subject = .status
        case .shards:
            let isOfKey = try header.name("app", limit: Key.appBytesMax) != nil
            subject = .shards(of: isOfKey ? try Target(&header) : nil)
        case .trace: subject = .trace(try header.requireEventID())
        }
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        switch subject {
        case .status: break
        case .shards(let target):
            header.string("what", What.shards.rawValue)
            target?.write(&header)
        case .trace(let id):
            header.string("what", What.trace.rawValue)
            header.string("id", id.bytes)
        }
    }
}
