import Codes

/// Compares one document with a shape while the scanner reads it; builds nothing but what there is to say.
///
/// It decides as a plain `JSONDecoder` does (Docs/APNs.md 4.4). What stands inside a value that is wrong already, or
/// that the shape does not know, is passed over.
struct SchemaCheck: JSONVisitor {
    /// A step of the way to a value.
    enum Step {
        case name(Range<Int>)
        case position(Int)
    }

    /// What is wrong, before names are read for the message.
    struct Trouble {
        let code: Code
        let offset: Int
        let steps: [Step]
        let detail: String
        /// The struct whose members are missing, and where its object lies.
        var missing: (node: Int, object: Range<Int>)?
    }

    /// A container that is open and of interest.
    struct Frame {
        let node: SchemaTable.Node
        let index: Int
        let offset: Int
        /// Elements so far, members so far.
        var position = 0
        /// The node of the next value; negative: passed over.
        var expected: Int
        var name = 0..<0
        var hint = 0
        /// Members that are there and may not be missing.
        var found = 0
        var lower = 0.0
        var lowerIsKnown = false
    }

    /// From here on a `Date` was surely counted from 1970: 2040-01-01 (Docs/APNs.md 4.8).
    static let epochFrom = 1_230_681_600.0
    /// Nothing more is noted after this many troubles.
    static let troublesMax = PayloadInspector.findingsMax

    let table: SchemaTable
    private(set) var troubles: [Trouble] = []
    var frames: [Frame] = []
    /// Depth of the container that is passed over.
    private var passedOver: Int?

    init(_ table: SchemaTable) {
        self.table = table
        frames.reserveCapacity(8)
    }

    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        guard passedOver == nil, let last = frames.indices.last else { return }
        frames[last].name = range
        let node = frames[last].node
        switch node.kind {
        case .structure, .cases:
            let found =
                escaped
                ? table.member(of: node, unescaped: JSONText.bytes(bytes, range))
                : table.member(of: node, named: range, in: bytes, hint: frames[last].hint)
            enter(found, last, range)
        case .dictionary(keysAreIntegers: true):
            if Int64(JSONText.string(bytes, range)) == nil {
                note(.schemaType, at: range.lowerBound - 1, inside: true, "a key of this dictionary is a whole number")
            }
        default: break
        }
    }

    /// The member that comes next; nil when the shape does not know it.
    @inline(__always)
    private mutating func enter(_ found: Int?, _ last: Int, _ range: Range<Int>) {
        let node = frames[last].node
        frames[last].position += 1
        guard let found else {
            frames[last].expected = -1
            if case .cases = node.kind {
                note(.schemaEnum, at: range.lowerBound - 1, inside: false, "the case is none of \(names(of: node))")
            }
            return
        }
        let member = table.members[node.first + found]
        frames[last].hint = found + 1
        frames[last].expected = member.node
        if !member.isOptional { frames[last].found += 1 }
    }

    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
        guard passedOver == nil, let index = next() else { return }
        check(kind, range, table.nodes[index], bytes)
    }

    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
        guard passedOver == nil else { return }
        guard let index = next() else {
            passedOver = depth
            return
        }
        let node = table.nodes[index]
        guard node.kind.isWritten(as: kind) else {
            passedOver = depth
            return note(.schemaType, at: offset, "\(node.kind.words), found \(kind.words)")
        }
        frames.append(Frame(node: node, index: index, offset: offset, expected: node.first))
    }

    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        if let outermost = passedOver {
            if outermost == depth { passedOver = nil }
            return
        }
        guard let frame = frames.popLast() else { return }
        finish(frame, range)
    }

    /// The node of the value that begins; nil when it is passed over.
    @inline(__always)
    private mutating func next() -> Int? {
        guard let last = frames.indices.last else { return 0 }
        switch frames[last].node.kind {
        case .array: frames[last].position += 1
        case .range, .duration:
            frames[last].position += 1
            // A decoder takes the two that it needs and looks no further.
            if frames[last].position > 2 { return nil }
        case .pairs:
            frames[last].position += 1
            return frames[last].position % 2 == 1 ? frames[last].node.first : frames[last].node.count
        default: break
        }
        let expected = frames[last].expected
        return expected < 0 ? nil : expected
    }

    private mutating func finish(_ frame: Frame, _ range: Range<Int>) {
        let node = frame.node
        switch node.kind {
        case .structure where frame.found < node.required:
            add(
                Trouble(
                    code: .schemaMissingKey, offset: frame.offset, steps: steps(), detail: "",
                    missing: (frame.index, range)))
        case .cases where frame.position != 1:
            note(.schemaType, at: frame.offset, "\(node.kind.words), found \(frame.position) members")
        case .range where frame.position < 2, .duration where frame.position < 2:
            note(.schemaType, at: frame.offset, "\(node.kind.words), found \(frame.position) elements")
        case .pairs where frame.position % 2 != 0:
            note(.schemaType, at: frame.offset, "\(node.kind.words), found an odd number of elements")
        default: break
        }
    }

    // MARK: - What there is to say

    /// Notes trouble with the value at hand, or (`inside`) with the member of the innermost container.
    mutating func note(_ code: Code, at offset: Int, inside: Bool = true, _ detail: String) {
        add(Trouble(code: code, offset: offset, steps: steps(inside: inside), detail: detail))
    }

    private mutating func add(_ trouble: Trouble) {
        if troubles.count < Self.troublesMax { troubles.append(trouble) }
    }

    private func steps(inside: Bool = true) -> [Step] {
        (inside ? frames[...] : frames.dropLast()).map { frame in
            switch frame.node.kind {
            case .array, .range, .duration, .pairs: .position(frame.position - 1)
            default: .name(frame.name)
            }
        }
    }

    func names(of node: SchemaTable.Node) -> String {
        table.members[node.first..<node.first + node.count].prefix(12).map(\.name).joined(separator: ", ")
            + (node.count > 12 ? ", …" : "")
    }
}

extension SchemaTable.Kind {
    /// Whether a container of this kind is how the type is written.
    func isWritten(as kind: JSONKind) -> Bool {
        switch self {
        case .structure, .cases, .dictionary: kind == .object
        case .array, .range, .pairs, .duration: kind == .array
        default: false
        }
    }

    /// How the type is written, for messages.
    var words: String {
        switch self {
        case .integer(let type): "a Swift \(type.rawValue) is a whole number in its range"
        case .double: "a Swift Double is a number"
        case .boolean: "a Swift Bool is true or false"
        case .string: "a Swift String is a string"
        case .date: "a Swift Date is a number of seconds since 2001-01-01"
        case .url: "a Swift URL is a string that is not empty"
        case .uuid: "a Swift UUID is a string of the form 8-4-4-4-12"
        case .data: "a Swift Data is a base64 string"
        case .duration: "a Swift Duration is an array of two whole numbers"
        case .array: "a Swift array is an array"
        case .range: "a Swift ClosedRange is an array of lower and upper bound"
        case .pairs: "this Swift dictionary is an array in which keys and values alternate"
        case .dictionary: "this Swift dictionary is an object"
        case .enumeration: "this Swift enum is a string"
        case .numbers: "this Swift enum is a whole number"
        case .cases: "this Swift enum is an object with the case as its one member"
        case .structure: "a Swift struct is an object"
        }
    }
}
