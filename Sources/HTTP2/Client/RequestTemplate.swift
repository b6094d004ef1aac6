internal import CLinux
internal import CNGHTTP2

/// The part of a request's header block that many requests share, laid out once in the form nghttp2 reads.
///
/// Make one per combination of fixed values (method, authority, topic, provider token …) and use it for every request until
/// a fixed value changes; then make a new one. What differs from request to request is the path and up to
/// `ClientRequest.slots` variable fields.
public final class RequestTemplate: Sendable {
    /// How a field's value relates to the peer's compression table.
    public enum Indexing: Sendable, Hashable {
        /// The value repeats: it may enter the table, and later requests send one byte.
        case table
        /// The value changes: only the first request of a connection may put it there, for the sake of the name.
        case nameOnly
        /// The value is secret or unique: never indexed (RFC 7541 7.1.3).
        case never
    }

    /// One field of the header block.
    public struct Field: Sendable, Hashable {
        let name: String
        let value: String?
        let indexing: Indexing

        /// A field with the same value in every request. `name` is lower-case.
        public static func fixed(_ name: String, _ value: String, indexing: Indexing = .table) -> Field {
            Field(name: name, value: value, indexing: indexing)
        }

        /// A field whose value each request gives. `name` is lower-case.
        public static func variable(_ name: String, indexing: Indexing = .nameOnly) -> Field {
            Field(name: name, value: nil, indexing: indexing)
        }
    }

    /// One entry of the block; the path is written in front of these by the connection.
    struct Entry {
        /// Which slot of the request gives the value; -1: fixed.
        let slot: Int
        let indexing: Indexing
    }

    nonisolated(unsafe) let memory: UnsafeMutablePointer<UInt8>  // written in init only
    nonisolated(unsafe) let block: UnsafeMutablePointer<nghttp2_nv>  // written in init only
    let entries: [Entry]
    let variableNames: [String]
    /// Where `:path` lies in `block`.
    static let pathIndex = 3

    /// Lays out `method`, `https`, `authority` and `fields`, of which at most `ClientRequest.slots` may be variable; they get
    /// the slots 0, 1, … in their order.
    public init(method: String, authority: String, fields: [Field]) {
        let all =
            [
                Field.fixed(":method", method), .fixed(":scheme", "https"), .fixed(":authority", authority),
                .fixed(":path", "", indexing: .never),
            ] + fields
        variableNames = fields.filter { $0.value == nil }.map(\.name)
        precondition(variableNames.count <= ClientRequest.slots, "too many variable fields")
        precondition(fields.count <= Self.maxFields, "too many fields")
        var entries: [Entry] = []
        var slot = 0
        for field in all {
            entries.append(Entry(slot: field.value == nil ? slot : -1, indexing: field.indexing))
            if field.value == nil { slot += 1 }
        }
        self.entries = entries
        memory = .allocate(capacity: all.reduce(1) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) })
        block = .allocate(capacity: all.count)
        layOut(all)
    }

    deinit {
        memory.deallocate()
        block.deallocate()
    }

    /// Most fields besides the pseudo-header fields.
    public static let maxFields = 24

    private func layOut(_ fields: [Field]) {
        var next = memory
        func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
            let start = next
            for byte in text.utf8 {
                next.initialize(to: byte)
                next += 1
            }
            return start
        }
        for (index, field) in fields.enumerated() {
            let name = copy(field.name)
            let value = copy(field.value ?? "")
            let flags = FieldFlag.noCopy | (field.indexing == .never ? FieldFlag.neverIndex : 0)
            (block + index).initialize(
                to: nghttp2_nv(
                    name: name, value: value, namelen: field.name.utf8.count,
                    valuelen: field.value?.utf8.count ?? 0, flags: flags))
        }
    }

    /// The slot of the variable field `name`, or nil.
    public func slot(_ name: String) -> Int? { variableNames.firstIndex(of: name) }
}
