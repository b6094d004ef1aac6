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

    /// The length of a variable value.
    func valueCount(_ slot: Int) -> Int { values[slot].count }

    func copyValue(_ slot: Int, to target: UnsafeMutablePointer<UInt8>) {
        values[slot].withUnsafeBufferPointer { source in
            if let start = source.baseAddress { target.update(from: start, count: source.count) }
        }
    }
}
