/// One request: a template, and what is different this time. Copies share their arrays.
public struct ClientRequest: Sendable {
    /// How many variable fields a template may have.
    public static let slots = 4

    /// The shared part.
    public var template: RequestTemplate
    /// The `:path`, ASCII.
    public var path: [UInt8]
    /// The body; empty means that there is none.
    public var body: [UInt8]
    private var values: InlineArray<4, [UInt8]> = .init(repeating: [])

    /// A request without variable fields; set those by subscript.
    public init(template: RequestTemplate, path: [UInt8], body: [UInt8] = []) {
        self.template = template
        self.path = path
        self.body = body
    }

    /// The value of a variable field; while it is empty the field is left out. `slot` is 0 to 3.
    public subscript(slot: Int) -> [UInt8] {
        get { values[slot] }
        set { values[slot] = newValue }
    }

    /// Most bytes of path and variable values together; longer requests are reported as `unprocessed` at once.
    public static let maxValueBytes = 8_192

    var totalValueCount: Int {
        path.count + values[0].count + values[1].count + values[2].count + values[3].count
    }

    /// Copies path and values one after the other and returns their lengths.
    func copyValues(to target: UnsafeMutablePointer<UInt8>) -> InlineArray<5, Int32> {
        var lengths = InlineArray<5, Int32>(repeating: 0)
        lengths[0] = Int32(copy(path, to: target))
        var next = target + path.count
        for slot in 0..<Self.slots where !values[slot].isEmpty {
            lengths[slot + 1] = Int32(copy(values[slot], to: next))
            next += values[slot].count
        }
        return lengths
    }

    private func copy(_ bytes: [UInt8], to target: UnsafeMutablePointer<UInt8>) -> Int {
        bytes.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { target.update(from: start, count: source.count) }
        }
        return bytes.count
    }
}
