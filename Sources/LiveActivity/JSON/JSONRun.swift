/// One pass over one document: the grammar, with a stack of open containers in place of recursion.
@usableFromInline
struct JSONRun {
    /// A container that is open.
    @usableFromInline
    struct Frame {
        @usableFromInline var start: Int
        @usableFromInline var firstKey: Int
        @usableFromInline var seen: JSONKeyFilter
        @usableFromInline var kind: JSONKind

        @inlinable
        init(start: Int, firstKey: Int, kind: JSONKind) {
            self.start = start
            self.firstKey = firstKey
            self.seen = JSONKeyFilter()
            self.kind = kind
        }
    }

    @usableFromInline let bytes: JSONBytes
    @usableFromInline let limits: JSONLimits
    /// Room for a few, and for as many as the limits allow once a document is that deep.
    @usableFromInline var frames: UnsafeMutablePointer<Frame>
    @usableFromInline var framesMax: Int
    @usableFromInline var keys: JSONKeys
    /// Number of open containers; the innermost is `frames[depth - 1]`.
    @usableFromInline var depth = 0

    @inlinable
    init(bytes: JSONBytes, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        framesMax = min(limits.depthMax, Self.usualDepth) + 1
        frames = .allocate(capacity: framesMax)
        keys = JSONKeys()
    }

    @usableFromInline static var usualDepth: Int { 8 }

    @usableFromInline
    mutating func grow() {
        let more = UnsafeMutablePointer<Frame>.allocate(capacity: limits.depthMax + 1)
        more.moveInitialize(from: frames, count: depth)
        frames.deallocate()
        frames = more
        framesMax = limits.depthMax + 1
    }

    @inlinable
    func deallocate() {
        frames.deallocate()
        keys.deallocate()
    }

    /// The whole document: one value with whitespace around it.
    @inlinable
    mutating func document<Visitor: JSONVisitor>(_ visitor: inout Visitor, _ span: Span<UInt8>) throws(JSONFault) {
        var offset = bytes.skipWhitespace(0)
        guard offset < bytes.count else { throw JSONFault(.empty, at: 0) }
        repeat {
            let opened = try value(&offset, &visitor, span)
            if !opened { try finish(&offset, &visitor, span) }
        } while depth > 0
        offset = bytes.skipWhitespace(offset)
        guard offset == bytes.count else {
            let fault = bytes.unexpected(offset)
            throw fault.reason == .notUTF8 ? fault : JSONFault(.trailingBytes, at: offset)
        }
    }

    /// One value at `offset`. True when it opened a container whose first element or member value comes next.
    @inlinable
    @inline(__always)
    mutating func value<Visitor: JSONVisitor>(
        _ offset: inout Int, _ visitor: inout Visitor, _ span: Span<UInt8>
    ) throws(JSONFault) -> Bool {
        guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: bytes.count) }
        let start = offset
        switch bytes[start] {
        case 0x22:
            let string = try bytes.string(start + 1)
            let range = Range(uncheckedBounds: (start + 1, string.end))
            visitor.scalar(string.escaped ? .escapedString : .string, range, depth: depth, in: span)
            offset = string.end + 1
        case 0x7B:
            return try open(.object, 0x7D, &offset, &visitor, span)
        case 0x5B:
            return try open(.array, 0x5D, &offset, &visitor, span)
        case 0x2D, 0x30...0x39:
            let number = try bytes.number(start)
            let range = Range(uncheckedBounds: (start, number.end))
            visitor.scalar(number.integer ? .integer : .decimal, range, depth: depth, in: span)
            offset = number.end
        case 0x74, 0x66, 0x6E:
            offset = try bytes.word(start)
            let range = Range(uncheckedBounds: (start, offset))
            visitor.scalar(bytes[start] == 0x6E ? .null : .bool, range, depth: depth, in: span)
        default:
            throw bytes.unexpected(start)
        }
        return false
    }

    /// Opens a container; false when it closes at once.
    @inlinable
    @inline(__always)
    mutating func open<Visitor: JSONVisitor>(
        _ kind: JSONKind, _ closer: UInt8, _ offset: inout Int, _ visitor: inout Visitor, _ span: Span<UInt8>
    ) throws(JSONFault) -> Bool {
        let start = offset
        guard depth < limits.depthMax else { throw JSONFault(.tooDeep, at: start) }
        visitor.open(kind, at: start, depth: depth)
        offset = bytes.skipWhitespace(start + 1)
        if offset < bytes.count, bytes[offset] == closer {
            offset += 1
            visitor.close(kind, Range(uncheckedBounds: (start, offset)), depth: depth)
            return false
        }
        if depth == framesMax { grow() }
        frames[depth] = Frame(start: start, firstKey: keys.count, kind: kind)
        depth += 1
        if kind == .object { try name(&offset, &visitor, span) }
        return true
    }

    /// After a value: closes what closes, up to the next value or the end of the document.
    @inlinable
    @inline(__always)
    mutating func finish<Visitor: JSONVisitor>(
        _ offset: inout Int, _ visitor: inout Visitor, _ span: Span<UInt8>
    ) throws(JSONFault) {
        while depth > 0 {
            offset = bytes.skipWhitespace(offset)
            guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: bytes.count) }
            let kind = frames[depth - 1].kind
            if bytes[offset] == 0x2C {
                offset = bytes.skipWhitespace(offset + 1)
                if kind == .object { try name(&offset, &visitor, span) }
                return
            }
            guard bytes[offset] == (kind == .object ? 0x7D : 0x5D) else { throw bytes.unexpected(offset) }
            offset += 1
            depth -= 1
            keys.count = frames[depth].firstKey
            visitor.close(kind, Range(uncheckedBounds: (frames[depth].start, offset)), depth: depth)
        }
    }

    /// A member's name, its colon and the whitespace after it.
    @inlinable
    @inline(__always)
    mutating func name<Visitor: JSONVisitor>(
        _ offset: inout Int, _ visitor: inout Visitor, _ span: Span<UInt8>
    ) throws(JSONFault) {
        let start = offset + 1
        guard offset < bytes.count, bytes[offset] == 0x22 else { throw bytes.unexpected(offset) }
        let string = try bytes.string(start)
        let frame = frames + (depth - 1)
        guard keys.count - frame.pointee.firstKey < limits.keysPerObjectMax else {
            throw JSONFault(.tooManyKeys, at: start - 1)
        }
        let added = keys.insert(
            start, string.end, escaped: string.escaped, first: frame.pointee.firstKey, seen: &frame.pointee.seen,
            in: bytes)
        guard added else { throw JSONFault(.duplicateKey, at: start - 1) }
        visitor.name(Range(uncheckedBounds: (start, string.end)), escaped: string.escaped, depth: depth, in: span)
        offset = bytes.skipWhitespace(string.end + 1)
        guard offset < bytes.count, bytes[offset] == 0x3A else { throw bytes.unexpected(offset) }
        offset = bytes.skipWhitespace(offset + 1)
    }
}
