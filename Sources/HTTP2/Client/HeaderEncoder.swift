/// Encodes the header blocks of one client connection (HPACK, RFC 7541).
///
/// nghttp2 would Huffman-code the provider token and search its tables anew for every request, which is half of a
/// request's CPU time. Here a template's fixed part is encoded once and copied afterwards. To stay simple the dynamic
/// table is only ever added to: once it is full, further fields are literals, so that nothing is evicted and an encoded
/// part stays valid until the next addition.
///
/// Blocks must be encoded in the order in which they are sent.
struct HeaderEncoder {
    /// An encoded template.
    private struct Encoded {
        let template: RequestTemplate
        let generation: Int
        let head: [UInt8]
        let tail: [UInt8]
        /// Per variable field, everything in front of its value's length.
        let names: [[UInt8]]
    }

    private struct Entry {
        let name: [UInt8]
        let value: [UInt8]
    }

    /// Dynamic table, oldest first.
    private var entries: [Entry] = []
    private var size = 0
    private var capacity = 4_096
    /// The peer must be told that the table is now empty and stays so.
    private var mustReset = false
    /// Grows with every change of the table.
    private var generation = 0
    private var encoded: [Encoded] = []
    private var lastUsed = 0
    private var nextReplaced = 0
    /// Most templates whose encoding is kept.
    private static let maxEncoded = 32

    /// The peer announced the size of its table. A smaller one than ours ends the use of the table (RFC 7541 4.2).
    mutating func limitTable(to announced: Int) {
        guard announced < capacity else { return }
        capacity = 0
        size = 0
        entries = []
        mustReset = true
        generation += 1
    }

    /// Appends the block of one request: `values` holds the path and the variable values, one after the other,
    /// `lengths` their lengths (0: the field is left out).
    mutating func encode(
        _ template: RequestTemplate, values: UnsafePointer<UInt8>, lengths: InlineArray<5, Int32>,
        into block: inout HeaderWriter
    ) {
        if mustReset {
            mustReset = false
            block.append(0x20)
        }
        if let index = find(template) {
            copy(encoded[index], values, lengths, into: &block)
        } else {
            encodeAnew(template, values, lengths, into: &block)
        }
    }

    private mutating func find(_ template: RequestTemplate) -> Int? {
        if lastUsed < encoded.count, encoded[lastUsed].template === template {
            return encoded[lastUsed].generation == generation ? lastUsed : nil
        }
        guard let index = encoded.firstIndex(where: { $0.template === template }) else { return nil }
        lastUsed = index
        return encoded[index].generation == generation ? index : nil
    }

    private func copy(
        _ part: Encoded, _ values: UnsafePointer<UInt8>, _ lengths: InlineArray<5, Int32>,
        into block: inout HeaderWriter
    ) {
        block.append(part.head)
        block.appendString(values, Int(lengths[0]))
        block.append(part.tail)
        var next = values + Int(lengths[0])
        for slot in 0..<part.names.count {
            let length = Int(lengths[slot + 1])
            if length == 0 { continue }
            block.append(part.names[slot])
            block.appendString(next, length)
            next += length
        }
    }

    /// The first request of a template, or the first after the table changed: adds to the table what may be added.
    private mutating func encodeAnew(
        _ template: RequestTemplate, _ values: UnsafePointer<UInt8>, _ lengths: InlineArray<5, Int32>,
        into block: inout HeaderWriter
    ) {
        let before = generation
        var head: [UInt8] = []
        for field in template.pseudo { encode(field, into: &head) }
        // Literal, never indexed, with the name of static entry 4, `:path`.
        head.append(0x14)
        var tail: [UInt8] = []
        for field in template.fixed { encode(field, into: &tail) }
        block.append(head)
        block.appendString(values, Int(lengths[0]))
        block.append(tail)
        var names: [[UInt8]] = []
        var next = values + Int(lengths[0])
        for (slot, field) in template.variable.enumerated() {
            let length = Int(lengths[slot + 1])
            let name = encodeName(of: field, value: UnsafeBufferPointer(start: next, count: length))
            names.append(name)
            if length == 0 { continue }
            block.append(name)
            block.appendString(next, length)
            next += length
        }
        if generation == before {
            keep(Encoded(template: template, generation: generation, head: head, tail: tail, names: names))
        }
    }

    private mutating func keep(_ part: Encoded) {
        if let index = encoded.firstIndex(where: { $0.template === part.template }) {
            encoded[index] = part
        } else if encoded.count < Self.maxEncoded {
            encoded.append(part)
        } else {
            encoded[nextReplaced] = part
            nextReplaced = (nextReplaced + 1) % Self.maxEncoded
        }
    }

    private mutating func encode(_ field: RequestTemplate.Fixed, into bytes: inout [UInt8]) {
        if let literal = field.literal {
            bytes += literal
        } else if let index = index(of: field.name, value: field.value) {
            HPACKInteger.append(index, prefix: 7, pattern: 0x80, to: &bytes)
        } else {
            let name = nameIndex(field.name)
            let isAdded = add(field.name, field.value)
            HPACKInteger.append(name, prefix: isAdded ? 6 : 4, pattern: isAdded ? 0x40 : 0, to: &bytes)
            if name == 0 { appendText(field.name, to: &bytes) }
            appendText(field.value, to: &bytes)
        }
    }

    /// What stands in front of a variable value; may add name and value to the table, for later use of the name.
    private mutating func encodeName(
        of field: RequestTemplate.Variable, value: UnsafeBufferPointer<UInt8>
    ) -> [UInt8] {
        let name = nameIndex(field.name)
        let isAdded = name == 0 && field.indexing != .never && !value.isEmpty && add(field.name, [UInt8](value))
        var bytes: [UInt8] = []
        if isAdded {
            HPACKInteger.append(0, prefix: 6, pattern: 0x40, to: &bytes)
        } else {
            HPACKInteger.append(name, prefix: 4, pattern: field.indexing == .never ? 0x10 : 0, to: &bytes)
        }
        if name == 0 { appendText(field.name, to: &bytes) }
        return bytes
    }

    private func appendText(_ text: [UInt8], to bytes: inout [UInt8]) {
        HPACKInteger.append(text.count, prefix: 7, pattern: 0, to: &bytes)
        bytes += text
    }

    private mutating func add(_ name: [UInt8], _ value: [UInt8]) -> Bool {
        let cost = name.count + value.count + 32
        guard size + cost <= capacity else { return false }
        entries.append(Entry(name: name, value: value))
        size += cost
        generation += 1
        return true
    }

    private func index(of name: [UInt8], value: [UInt8]) -> Int? {
        if let index = StaticTable.index(of: name, value: value) { return index }
        return entries.lastIndex { $0.name == name && $0.value == value }.map { StaticTable.count + entries.count - $0 }
    }

    /// The index of an entry with this name; 0: none.
    private func nameIndex(_ name: [UInt8]) -> Int {
        if let index = StaticTable.index(of: name) { return index }
        return entries.lastIndex { $0.name == name }.map { StaticTable.count + entries.count - $0 } ?? 0
    }
}

/// The entries of the static table (RFC 7541 A) that requests to push services can use.
enum StaticTable {
    static let count = 61

    private static let whole: [(name: [UInt8], value: [UInt8], index: Int)] = [
        (Array(":method".utf8), Array("GET".utf8), 2), (Array(":method".utf8), Array("POST".utf8), 3),
        (Array(":path".utf8), Array("/".utf8), 4), (Array(":scheme".utf8), Array("https".utf8), 7),
    ]

    private static let names: [(name: [UInt8], index: Int)] = [
        (Array(":authority".utf8), 1), (Array(":method".utf8), 2), (Array(":path".utf8), 4), (Array(":scheme".utf8), 6),
        (Array("accept".utf8), 19), (Array("authorization".utf8), 23), (Array("content-length".utf8), 28),
        (Array("content-type".utf8), 31), (Array("user-agent".utf8), 58),
    ]

    static func index(of name: [UInt8], value: [UInt8]) -> Int? {
        whole.first { $0.name == name && $0.value == value }?.index
    }

    static func index(of name: [UInt8]) -> Int? { names.first { $0.name == name }?.index }
}

/// Integers with a prefix (RFC 7541 5.1).
enum HPACKInteger {
    static func append(_ value: Int, prefix: Int, pattern: UInt8, to bytes: inout [UInt8]) {
        let most = (1 << prefix) - 1
        guard value >= most else {
            bytes.append(pattern | UInt8(value))
            return
        }
        bytes.append(pattern | UInt8(most))
        var rest = value - most
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
