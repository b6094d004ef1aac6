internal import LiveActivity
internal import Telemetry

/// What this node remembers of the way of the newest events: a ring, so that old notes make room for new ones.
///
/// Holds event IDs and times, never payloads or tokens. Threads: the owner's.
struct EventTrace {
    /// One step of one event.
    struct Note {
        let eventID: [UInt8]
        let stage: Stage
        let atMilliseconds: Int64
        let text: String
    }

    private let capacity: Int
    private var notes: [Note] = []
    private var next = 0
    /// Notes that made room for newer ones.
    private(set) var overwritten = 0

    /// A ring of at most `capacity` notes, six or so an event.
    init(capacity: Int = 65_536) { self.capacity = max(1, capacity) }

    /// Notes that an event has reached a stage. `text` says what happened there, in a few words.
    mutating func note(_ eventID: [UInt8], _ stage: Stage, at milliseconds: Int64, _ text: String) {
        let note = Note(eventID: eventID, stage: stage, atMilliseconds: milliseconds, text: text)
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
        (notes[next...] + notes[..<next]).filter { $0.eventID == eventID }
    }

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
            json.member("text", note.text)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

extension Stage {
    /// The stage as documents and people write it: `Ingest`.
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
