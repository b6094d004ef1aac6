internal import Cluster
internal import LiveActivity
internal import Telemetry
internal import Wire

/// What this node remembers of the way of the newest events: a ring, so that old notes make room for new ones.
///
/// Holds hashes of event IDs and times, never payloads or tokens. Threads: the owner's.
struct EventTrace {
    /// One step of one event.
    struct Note {
        /// A hash of the event's ID: a reference to the ID would be let go again, cold, when its place is used next.
        let mark: UInt64
        let stage: Stage
        let atMilliseconds: Int64
        let text: Text
    }

    /// What happened there; made into words only when somebody asks.
    enum Text: ExpressibleByStringLiteral {
        case words(StaticString)
        case from(String)
        case handedOn(to: String)
        case versioned(shard: UInt16, ShardVersion)
        case replicated(copies: Int)
        case settled(EventOutcome)

        init(stringLiteral value: StaticString) { self = .words(value) }
    }

    private let capacity: Int
    private var notes: [Note] = []
    private var next = 0
    /// Notes that made room for newer ones.
    private(set) var overwritten = 0

    /// A ring of at most `capacity` notes, six or so an event.
    init(capacity: Int = 65_536) { self.capacity = max(1, capacity) }

    /// Notes that an event has reached a stage. `text` says what happened there, in a few words.
    mutating func note(_ eventID: [UInt8], _ stage: Stage, at milliseconds: Int64, _ text: Text) {
        let note = Note(mark: Self.mark(eventID), stage: stage, atMilliseconds: milliseconds, text: text)
        if notes.count < capacity {
            notes.append(note)
        } else {
            notes[next] = note
            next = (next + 1) % capacity
            overwritten += 1
        }
    }

    /// What is known of an event, oldest first.
    func notes(of eventID: [UInt8]) -> [Note] {
        let mark = Self.mark(eventID)
        return (notes[next...] + notes[..<next]).filter { $0.mark == mark }
    }

    /// Events of one hash would be shown as one, which harms nobody.
    private static func mark(_ eventID: [UInt8]) -> UInt64 { SipHash.hash(eventID[...], seed: (0, 0)) }

    /// The same as a JSON object.
    func document(of eventID: [UInt8], node: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("node", node)
        json.name("stages")
        json.beginArray()
        for note in notes(of: eventID) {
            json.beginObject()
            json.member("stage", note.stage.title)
            json.member("at_ms", note.atMilliseconds)
            json.member("text", note.text.description)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

extension EventTrace.Text: CustomStringConvertible {
    var description: String {
        switch self {
        case .words(let words): "\(words)"
        case .from(let user): user.isEmpty ? "from a producer" : "from \(user)"
        case .handedOn(let name): "handed on to \(name)"
        case .versioned(let shard, let version): "shard \(shard), change (\(version.epoch), \(version.count))"
        case .replicated(let copies): copies == 1 ? "on 1 disk" : "on \(copies) disks"
        case .settled(let outcome): outcome.reason.isEmpty ? outcome.name : "\(outcome.name): \(outcome.reason)"
        }
    }
}

extension EventTrace {
    /// Notes what the core says of an event.
    mutating func note(_ eventID: [UInt8], _ stage: TraceStage, at milliseconds: Int64) {
        switch stage {
        case .versioned(let shard, let version):
            note(eventID, .replicate, at: milliseconds, .versioned(shard: shard, version))
        case .replicated(let copies): note(eventID, .replicate, at: milliseconds, .replicated(copies: copies))
        case .admitted:
            note(eventID, .admit, at: milliseconds, "its turn")
            note(eventID, .dispatch, at: milliseconds, "its lanes get it when it is on enough disks")
        case .settled(let outcome): note(eventID, .settle, at: milliseconds, .settled(outcome))
        }
    }
}

extension Stage {
    /// The stage as documents and people write it: `Ingest`.
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
