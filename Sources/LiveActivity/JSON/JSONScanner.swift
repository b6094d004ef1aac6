/// Reads one JSON document in one pass: all of RFC 8259, UTF-8, limits and duplicate names, without building anything.
///
/// Names with escapes are allowed, because common encoders write them (`\/` in Swift, `\u` in Python), and are compared
/// after unescaping, so that `"a"` and `"\u0061"` in one object are refused as the duplicates they are.
public enum JSONScanner {
    /// Reads `bytes` and tells `visitor` about every part in order. Takes any bytes; the time is linear in their number
    /// but for the search for duplicates, which `limits` bounds.
    @inlinable
    public static func scan<Visitor: JSONVisitor>(
        _ bytes: Span<UInt8>, limits: JSONLimits = .standard, visitor: inout Visitor
    ) throws(JSONFault) {
        guard bytes.count <= limits.bytesMax else { throw JSONFault(.tooLarge, at: limits.bytesMax) }
        try bytes.withUnsafeBufferPointer { buffer throws(JSONFault) in
            guard let base = buffer.baseAddress, buffer.count > 0 else { throw JSONFault(.empty, at: 0) }
            var run = JSONRun(bytes: JSONBytes(base: base, count: buffer.count), limits: limits)
            defer { run.deallocate() }
            try run.document(&visitor, bytes)
        }
    }

    /// Whether `bytes` is a well-formed document within `limits`; the fault when it is not.
    public static func validate(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) -> JSONFault? {
        var visitor = JSONValidator()
        do throws(JSONFault) {
            try scan(bytes, limits: limits, visitor: &visitor)
            return nil
        } catch {
            return error
        }
    }
}
