/// Finds a member by the names on the way to it, for messages about files. Reads the document again.
enum JSONPlace {
    /// Offset of the name of the last member of `path` that is there; 0 when none is.
    static func offset(of path: [String], in bytes: Span<UInt8>, limits: JSONLimits) -> Int {
        var visitor = PlaceVisitor(path: path)
        // What was found before a fault is as good: the caller has parsed the document already.
        do throws(JSONFault) { try JSONScanner.scan(bytes, limits: limits, visitor: &visitor) } catch {}
        return visitor.offset
    }
}

private struct PlaceVisitor: JSONVisitor {
    let path: [String]
    var offset = 0
    /// Steps of the path that lead to where the scan is.
    private var matched = 0

    init(path: [String]) { self.path = path }

    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        if depth <= matched { matched = depth - 1 }
        guard depth == matched + 1, depth <= path.count, JSONText.string(bytes, range) == path[depth - 1] else {
            return
        }
        matched = depth
        offset = range.lowerBound - 1
    }

    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {}
    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {}
    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {}
}
