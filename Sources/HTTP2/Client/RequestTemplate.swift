internal import CNGHTTP2

/// The part of a request's header block that many requests share.
///
/// Make one per combination of fixed values (method, authority, topic, provider token …) and use it for every request
/// until a fixed value changes; then make a new one. What differs from request to request is the path and up to
/// `ClientRequest.slots` variable fields.
public final class RequestTemplate: Sendable {
    /// How a field's value relates to the peer's compression table.
    public enum Indexing: Sendable, Hashable {
        /// The value repeats: it may enter the table, and later requests send one or two bytes.
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

    /// A field with one value, ready for the encoder.
    struct Fixed {
        let name: [UInt8]
        let value: [UInt8]
        /// Its representation if it is never indexed; nil when the encoder may use the table.
        let literal: [UInt8]?
    }

    struct Variable {
        let name: [UInt8]
        let indexing: Indexing
    }

    /// `:method`, `:scheme`, `:authority`: what stands in front of the path.
    let pseudo: [Fixed]
    let fixed: [Fixed]
    let variable: [Variable]

    /// Most fields besides the pseudo-header fields.
    public static let maxFields = 24
    /// Most bytes of all fixed names and values together.
    public static let maxFixedBytes = 4_096

    /// Lays out `method`, `https`, `authority` and `fields`, of which at most `ClientRequest.slots` may be variable;
    /// they get the slots 0, 1, … in their order. Traps beyond `maxFields` or `maxFixedBytes`: those are the program's
    /// own constants.
    public init(method: String, authority: String, fields: [Field]) {
        let values = fields.filter { $0.value != nil }
        pseudo = [
            Fixed(.fixed(":method", method)), Fixed(.fixed(":scheme", "https")),
            Fixed(.fixed(":authority", authority)),
        ]
        fixed = values.map { Fixed($0) }
        variable = fields.filter { $0.value == nil }.map {
            Variable(name: Array($0.name.utf8), indexing: $0.indexing)
        }
        precondition(variable.count <= ClientRequest.slots, "too many variable fields")
        precondition(fields.count <= Self.maxFields, "too many fields")
        let bytes = (pseudo + fixed).reduce(0) { $0 + $1.name.count + $1.value.count }
        precondition(bytes <= Self.maxFixedBytes, "fixed fields too long")
    }

    /// The slot of the variable field `name`, or nil.
    public func slot(_ name: String) -> Int? { variable.firstIndex { $0.name == Array(name.utf8) } }
}

extension RequestTemplate.Fixed {
    init(_ field: RequestTemplate.Field) {
        name = Array(field.name.utf8)
        value = Array((field.value ?? "").utf8)
        literal = field.indexing == .table ? nil : neverIndexedLiteral(name, value)
    }
}

/// The never-indexed representation of a field, Huffman-coded by nghttp2: once per template instead of once per
/// request.
private func neverIndexedLiteral(_ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
    var deflater: OpaquePointer?
    guard nghttp2_hd_deflate_new(&deflater, 4_096) == 0, let deflater else { preconditionFailure("out of memory") }
    defer { nghttp2_hd_deflate_del(deflater) }
    return name.withUnsafeBufferPointer { name in
        value.withUnsafeBufferPointer { value in
            var entry = field(name, value)
            entry.flags = FieldFlag.neverIndex
            let bound = nghttp2_hd_deflate_bound(deflater, &entry, 1)
            return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
                let written = crl_nghttp2_hd_deflate(deflater, buffer.baseAddress, bound, &entry)
                precondition(written >= 0, "header field cannot be encoded")
                count = written
            }
        }
    }
}
