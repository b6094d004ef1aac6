import Codes
import LiveActivity

/// Reads the members of one header by name, with the bounds of each; every failure is a `WireFault` that names the
/// member.
///
/// Members that are not asked for are ignored, so that a newer peer may send more than this code knows.
struct HeaderReader {
    let bytes: [UInt8]
    let members: [HeaderMember]
    /// Sequence number of the request, for faults; nil until `sequence` was read.
    private(set) var sequence: Int64?
    private var next = 0

    /// Takes the members that `HeaderScanner` found.
    init(bytes: [UInt8], members: [HeaderMember]) {
        self.bytes = bytes
        self.members = members
    }

    /// Makes a fault about member `name`.
    func fault(_ name: StaticString, _ detail: String) -> WireFault {
        WireFault(.badField, detail, field: name.description, sequence: sequence)
    }

    private func missing(_ name: StaticString) -> WireFault { fault(name, "missing") }

    /// Finds a member. Peers write members in the documented order, so the search goes on where the last one ended.
    private mutating func find(_ name: StaticString) -> HeaderMember? {
        var index = next
        for _ in 0..<members.count {
            if index >= members.count { index = 0 }
            let member = members[index]
            if JSONText.equals(bytes.span, member.name, escaped: member.nameEscaped, name) {
                next = index + 1
                return member.kind == .null ? nil : member
            }
            index += 1
        }
        return nil
    }

    // MARK: Numbers and flags

    /// Reads `seq`, which every request and every answer to one carries.
    mutating func requireSequence() throws(WireFault) -> Int64 {
        let value = try require("seq", in: 0...ProducerProtocol.sequenceMax)
        sequence = value
        return value
    }

    /// Reads an integer if it is there.
    mutating func integer(_ name: StaticString, in range: ClosedRange<Int64>) throws(WireFault) -> Int64? {
        guard let member = find(name) else { return nil }
        guard member.kind == .integer, let value = JSONText.integer(bytes.span, member.value), range.contains(value)
        else {
            throw fault(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Reads an integer that must be there.
    mutating func require(_ name: StaticString, in range: ClosedRange<Int64>) throws(WireFault) -> Int64 {
        guard let value = try integer(name, in: range) else { throw missing(name) }
        return value
    }

    /// Reads a flag; false when it is not there.
    mutating func flag(_ name: StaticString) throws(WireFault) -> Bool {
        guard let member = find(name) else { return false }
        guard let value = JSONText.bool(bytes.span, member.value), member.kind == .bool else {
            throw fault(name, "must be true or false")
        }
        return value
    }

    // MARK: Text

    /// The bytes of a string, copied only when there are escapes.
    private func content(of member: HeaderMember) -> ArraySlice<UInt8> {
        member.kind == .escapedString ? JSONText.bytes(bytes.span, member.value)[...] : bytes[member.value]
    }

    /// Reads a string of 1…`limit` bytes without control characters, if it is there.
    mutating func name(_ name: StaticString, limit: Int) throws(WireFault) -> ArraySlice<UInt8>? {
        guard let member = find(name) else { return nil }
        guard member.kind.isString else { throw fault(name, "must be a string") }
        let value = content(of: member)
        guard (1...limit).contains(value.count) else { throw fault(name, "must have 1 to \(limit) bytes") }
        for byte in value where byte < 0x20 || byte == 0x7f {
            throw fault(name, "must not hold control characters")
        }
        return value
    }

    /// Reads a name that must be there.
    mutating func requireName(_ name: StaticString, limit: Int) throws(WireFault) -> ArraySlice<UInt8> {
        guard let value = try self.name(name, limit: limit) else { throw missing(name) }
        return value
    }

    /// Reads free text of at most `limit` bytes; empty when it is not there.
    mutating func text(
        _ name: StaticString, limit: Int = ProducerProtocol.textBytesMax
    ) throws(WireFault) -> String {
        guard let member = find(name) else { return "" }
        guard member.kind.isString else { throw fault(name, "must be a string") }
        let value = content(of: member)
        guard value.count <= limit else { throw fault(name, "must have at most \(limit) bytes") }
        return String(decoding: value, as: UTF8.self)
    }

    // MARK: Lists

    /// Reads a list of strings; empty when it is not there.
    mutating func strings(
        _ name: StaticString, entries: Int = ProducerProtocol.listEntriesMax,
        limit: Int = ProducerProtocol.textBytesMax
    ) throws(WireFault) -> [String] {
        var result: [String] = []
        for element in try elements(name, entries: entries) {
            let value = content(of: element)
            guard element.kind.isString, value.count <= limit else {
                throw fault(name, "must hold strings of at most \(limit) bytes")
            }
            result.append(String(decoding: value, as: UTF8.self))
        }
        return result
    }

    /// Reads a list of objects, each with `body`; empty when it is not there.
    mutating func objects<Element>(
        _ name: StaticString, entries: Int, _ body: (inout HeaderReader) throws(WireFault) -> Element
    ) throws(WireFault) -> [Element] {
        var result: [Element] = []
        for element in try elements(name, entries: entries) {
            guard element.kind == .object else { throw fault(name, "must hold objects") }
            var inner = HeaderReader(bytes: bytes, members: HeaderScanner.parts(of: element.value, in: bytes))
            inner.sequence = sequence
            result.append(try body(&inner))
        }
        return result
    }

    private mutating func elements(_ name: StaticString, entries: Int) throws(WireFault) -> [HeaderMember] {
        guard let member = find(name) else { return [] }
        guard member.kind == .array else { throw fault(name, "must be an array") }
        let elements = HeaderScanner.parts(of: member.value, in: bytes)
        guard elements.count <= entries else { throw fault(name, "must have at most \(entries) entries") }
        return elements
    }
}
