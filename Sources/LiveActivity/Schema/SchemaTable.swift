/// A shape laid flat, so that checking a payload follows indices instead of boxes: nodes refer to each other by
/// position, children of one node stand together.
struct SchemaTable: Sendable {
    /// What a value must be.
    enum Kind: Sendable {
        case integer(Shape.IntegerType)
        case double, boolean, string, date, url, uuid, data
        case duration
        case array, range, pairs
        case dictionary(keysAreIntegers: Bool)
        case enumeration, numbers
        case cases, structure
    }

    /// One value of the shape.
    struct Node: Sendable {
        var kind: Kind
        var isOptional = false
        /// Children: the element; key and value; members; names or numbers of an enum.
        var first = 0
        var count = 0
        /// Members that may not be missing.
        var required = 0
    }

    /// A member of a struct or case, a case itself, or a name of an enum.
    struct Member: Sendable {
        let nameStart: Int
        let nameEnd: Int
        let node: Int
        let isOptional: Bool
    }

    private(set) var nodes: [Node] = []
    private(set) var members: [Member] = []
    private(set) var numbers: [Int64] = []
    /// UTF-8 of all member names.
    private(set) var names: [UInt8] = []

    /// The root is node 0.
    init(_ shape: Shape) {
        _ = add(shape)
    }

    /// The name of a member, for messages: members themselves hold nothing that needs counting.
    func name(of member: Member) -> String {
        String(decoding: names[member.nameStart..<member.nameEnd], as: UTF8.self)
    }

    /// The member of `node` with this name; `hint` is where it is looked for first, as encoders keep their order.
    @inline(__always)
    func member(of node: Node, named range: Range<Int>, in bytes: Span<UInt8>, hint: Int) -> Int? {
        var index = hint
        for _ in 0..<node.count {
            if index >= node.count { index = 0 }
            if isName(members[node.first + index], range, bytes) { return index }
            index += 1
        }
        return nil
    }

    /// The same for a name whose escapes are resolved.
    func member(of node: Node, unescaped name: [UInt8]) -> Int? {
        member(of: node, named: 0..<name.count, in: name.span, hint: 0)
    }

    @inline(__always)
    private func isName(_ member: Member, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard member.nameEnd - member.nameStart == range.count else { return false }
        for index in 0..<range.count where names[member.nameStart + index] != bytes[range.lowerBound + index] {
            return false
        }
        return true
    }

    private mutating func add(_ shape: Shape) -> Int {
        let place = nodes.count
        nodes.append(Node(kind: .structure))
        let (inner, isOptional) = Self.unwrapped(shape)
        var node = Node(kind: Self.kind(inner), isOptional: isOptional)
        switch inner {
        case .array(let element), .range(let element), .dictionary(_, let element): node.first = add(element)
        case .duration: node.first = add(.integer(.int))
        case .pairs(let key, let value):
            // Children of a pair need not be neighbours: the value's position stands in `count`.
            node.first = add(key)
            node.count = add(value)
        case .structure(let properties): addMembers(properties.map { ($0.name, $0.shape) }, to: &node)
        case .cases(let cases): addMembers(cases.map { ($0.name, .structure($0.values)) }, to: &node)
        case .enumeration(let names): addNames(names, to: &node)
        case .numbers(let values):
            (node.first, node.count) = (numbers.count, values.count)
            numbers.append(contentsOf: values)
        default: break
        }
        nodes[place] = node
        return place
    }

    private mutating func addMembers(_ list: [(name: String, shape: Shape)], to node: inout Node) {
        var added: [Member] = []
        for (name, shape) in list {
            added.append(member(name, node: add(shape), isOptional: Self.unwrapped(shape).isOptional))
        }
        node.first = members.count
        node.count = added.count
        node.required = added.count { !$0.isOptional }
        members.append(contentsOf: added)
    }

    private mutating func addNames(_ list: [String], to node: inout Node) {
        (node.first, node.count) = (members.count, list.count)
        for name in list { members.append(member(name, node: 0, isOptional: false)) }
    }

    private mutating func member(_ name: String, node: Int, isOptional: Bool) -> Member {
        let start = names.count
        names.append(contentsOf: name.utf8)
        return Member(nameStart: start, nameEnd: names.count, node: node, isOptional: isOptional)
    }

    private static func unwrapped(_ shape: Shape) -> (shape: Shape, isOptional: Bool) {
        var shape = shape
        var isOptional = false
        while case .optional(let inner) = shape {
            shape = inner
            isOptional = true
        }
        return (shape, isOptional)
    }

    private static func kind(_ shape: Shape) -> Kind {
        switch shape {
        case .integer(let type): .integer(type)
        case .double: .double
        case .boolean: .boolean
        case .string: .string
        case .date: .date
        case .url: .url
        case .uuid: .uuid
        case .data: .data
        case .duration: .duration
        case .array: .array
        case .range: .range
        case .pairs: .pairs
        case .dictionary(let integers, _): .dictionary(keysAreIntegers: integers)
        case .enumeration: .enumeration
        case .numbers: .numbers
        case .cases: .cases
        case .structure, .optional: .structure
        }
    }
}
