/// Notes where the members of `aps` lie and what they are; looks inside `alert` only.
struct PayloadVisitor: JSONVisitor {
    /// A member of the root object.
    private enum Root {
        case none, aps, timestamp, other
    }

    private(set) var members = InlineArray<12, ApsMember>(repeating: ApsMember())
    private(set) var alert = AlertShape()
    private(set) var isObject = false
    /// `aps`; nil when there is none.
    private(set) var aps: (kind: JSONKind, range: Range<Int>)?
    private(set) var apsHasMembers = false
    /// Names inside `aps` that Apple does not know, without quotes.
    private(set) var unknown: [Range<Int>] = []
    /// Offset of a `timestamp` beside `aps`.
    private(set) var rootTimestamp: Int?

    private var root = Root.none
    private var key: ApsKey?
    private var nameStart = 0

    subscript(_ key: ApsKey) -> ApsMember { members[key.rawValue] }

    // Most of a payload lies deep inside content-state: the way past it is inlined into the scanner's loop.

    @inline(__always)
    private func isIgnored(_ depth: Int) -> Bool { depth > 2 && key != .alert }

    @inline(__always)
    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        if !isIgnored(depth) { nameOfInterest(range, escaped, depth, bytes) }
    }

    @inline(__always)
    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
        if !isIgnored(depth) { valueOfInterest(kind, range, depth) }
    }

    @inline(__always)
    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
        if depth == 0 { isObject = kind == .object }
        if depth > 2, key == .alert { alert.open(kind, at: offset, depth: depth) }
    }

    @inline(__always)
    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        if !isIgnored(depth) { containerOfInterest(kind, range, depth) }
    }

    @inline(never)
    private mutating func nameOfInterest(
        _ range: Range<Int>, _ escaped: Bool, _ depth: Int, _ bytes: Span<UInt8>
    ) {
        if depth > 2 {
            alert.name(range, escaped: escaped, depth: depth, in: bytes)
        } else if depth == 2 {
            guard root == .aps else { return }
            apsHasMembers = true
            nameStart = range.lowerBound - 1
            key = ApsKey.match(range, escaped: escaped, in: bytes)
            if key == nil { unknown.append(range) }
        } else {
            rootName(range, escaped, bytes)
        }
    }

    private mutating func rootName(_ range: Range<Int>, _ escaped: Bool, _ bytes: Span<UInt8>) {
        key = nil
        if JSONText.equals(bytes, range, escaped: escaped, "aps") {
            root = .aps
        } else if JSONText.equals(bytes, range, escaped: escaped, "timestamp") {
            root = .timestamp
            rootTimestamp = range.lowerBound - 1
        } else {
            root = .other
        }
    }

    @inline(never)
    private mutating func valueOfInterest(_ kind: JSONKind, _ range: Range<Int>, _ depth: Int) {
        if depth > 2 {
            alert.value(kind, range, depth: depth)
        } else {
            note(kind, range, depth)
        }
    }

    @inline(never)
    private mutating func containerOfInterest(_ kind: JSONKind, _ range: Range<Int>, _ depth: Int) {
        if depth > 2 {
            alert.close(kind, range, depth: depth)
        } else {
            note(kind, range, depth)
        }
    }

    private mutating func note(_ kind: JSONKind, _ range: Range<Int>, _ depth: Int) {
        if depth == 2 {
            guard let key else { return }
            members[key.rawValue] = ApsMember(kind: kind, nameStart: nameStart, value: range)
        } else if depth == 1, root == .aps {
            aps = (kind, range)
        }
    }
}
