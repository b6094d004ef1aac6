import Codes
import LiveActivity

/// One member of a header, or one element of a list in it (then without a name), as byte ranges of the header.
struct HeaderMember {
    /// The name without its quotes.
    var name: Range<Int>
    /// Whether the name holds escapes.
    var nameEscaped: Bool
    /// The type of the value.
    var kind: JSONKind
    /// The value; a string without its quotes, an object or array with its brackets.
    var value: Range<Int>
}

/// Finds the parts of a header with the payload scanner, which checks every byte of it.
enum HeaderScanner {
    private static let limits = JSONLimits(
        bytesMax: ProducerProtocol.answerHeaderBytesMax, depthMax: 8,
        keysPerObjectMax: ProducerProtocol.headerMembersMax)

    /// The members of a whole header, which must be one JSON object.
    static func members(ofHeader bytes: [UInt8]) throws(WireFault) -> [HeaderMember] {
        var collector = Collector(base: 0)
        do throws(JSONFault) {
            try JSONScanner.scan(bytes.span, limits: limits, visitor: &collector)
        } catch {
            throw WireFault(.malformed, "header: " + error.words)
        }
        guard collector.root == .object else { throw WireFault(.malformed, "the header is no JSON object") }
        return collector.members
    }

    /// The members of an object, or the elements of an array, at `range` of a header that was accepted as a whole.
    static func parts(of range: Range<Int>, in bytes: [UInt8]) -> [HeaderMember] {
        var collector = Collector(base: range.lowerBound)
        do throws(JSONFault) {
            try JSONScanner.scan(bytes.span.extracting(range), limits: limits, visitor: &collector)
        } catch {
            return []
        }
        return collector.members
    }

    private struct Collector: JSONVisitor {
        let base: Int
        var root = JSONKind.null
        var members: [HeaderMember] = []
        var name = 0..<0
        var nameEscaped = false

        init(base: Int) {
            self.base = base
            members.reserveCapacity(16)
        }

        mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
            guard depth == 1 else { return }
            name = range
            nameEscaped = escaped
        }

        mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
            if depth == 1 { add(kind, range) }
        }

        mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
            if depth == 0 { root = kind }
        }

        mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
            if depth == 1 { add(kind, range) }
        }

        private mutating func add(_ kind: JSONKind, _ range: Range<Int>) {
            members.append(
                HeaderMember(
                    name: name.lowerBound + base..<name.upperBound + base, nameEscaped: nameEscaped, kind: kind,
                    value: range.lowerBound + base..<range.upperBound + base))
        }
    }
}
