/// The way from the root to a fault, such as `aps.content-state.rows[3]`, for messages. Reads the document again: only
/// for documents that were refused.
public struct JSONPath: Sendable, CustomStringConvertible {
    /// Names joined by dots, positions in brackets; empty for the root.
    public let description: String

    /// The place of `fault`, which scanning `bytes` under `limits` gave.
    public init(to fault: JSONFault, in bytes: Span<UInt8>, limits: JSONLimits = .standard) {
        var visitor = PathVisitor()
        do throws(JSONFault) {
            try JSONScanner.scan(bytes, limits: limits, visitor: &visitor)
        } catch {
            if fault.reason == .duplicateKey { visitor.enter(duplicateAt: fault.offset, bytes) }
        }
        description = visitor.path
    }
}

private struct PathVisitor: JSONVisitor {
    private enum Step {
        case name(String)
        case position(Int)
    }

    private var steps: [Step] = []

    /// The last steps are the ones that the scan was at when it stopped.
    var path: String {
        var path = ""
        for step in steps.prefix(16) {
            switch step {
            case .name(""): continue
            case .name(let name): path += path.isEmpty ? name : ".\(name)"
            case .position(let position): path += "[\(position)]"
            }
        }
        return path
    }

    /// The scan stops before it tells of a duplicate name; it is read here.
    mutating func enter(duplicateAt offset: Int, _ bytes: Span<UInt8>) {
        var end = offset + 1
        while end < bytes.count, bytes[end] != 0x22 { end += bytes[end] == 0x5C ? 2 : 1 }
        replace(.name(Self.short(bytes, offset + 1..<min(end, bytes.count))))
    }

    private static func short(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(JSONText.string(bytes, range).prefix(64))
    }

    private mutating func replace(_ step: Step) {
        guard !steps.isEmpty else { return }
        steps[steps.count - 1] = step
    }

    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        replace(.name(Self.short(bytes, range)))
    }

    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
        advance()
    }

    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
        steps.append(kind == .array ? .position(0) : .name(""))
    }

    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        steps.removeLast()
        advance()
    }

    /// The next element of the innermost array.
    private mutating func advance() {
        guard case .position(let position)? = steps.last else { return }
        replace(.position(position + 1))
    }
}
