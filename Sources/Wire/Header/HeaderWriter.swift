/// Writes a header: one JSON object on one line, the command first.
///
/// Member names are ours and need no escaping; values are escaped. Nothing is checked here: bounds are the callers' and
/// are checked again by every decoder.
struct HeaderWriter {
    private(set) var bytes: [UInt8]

    /// Begins with `{"command":"…"`.
    init(command: StaticString, capacity: Int = 160) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
        quoted("command")
        bytes.append(UInt8(ascii: ":"))
        quoted(command)
    }

    /// Ends the object.
    mutating func finish() { bytes.append(UInt8(ascii: "}")) }

    mutating func integer(_ name: StaticString, _ value: Int64) {
        begin(name)
        digits(value)
    }

    mutating func integer(_ name: StaticString, _ value: Int64?) {
        if let value { integer(name, value) }
    }

    /// Writes the member only when it is not zero: zero is every count's default.
    mutating func count(_ name: StaticString, _ value: Int64) {
        if value != 0 { integer(name, value) }
    }

    /// Writes the member only when it is true: false is every flag's default.
    mutating func flag(_ name: StaticString, _ value: Bool) {
        guard value else { return }
        begin(name)
        literal("true")
    }

    mutating func string(_ name: StaticString, _ value: some Sequence<UInt8>) {
        begin(name)
        escaped(value)
    }

    mutating func string(_ name: StaticString, _ value: String) {
        string(name, value.utf8)
    }

    /// Writes the member only when there is text: empty is every text's default.
    mutating func text(_ name: StaticString, _ value: String) {
        if !value.isEmpty { string(name, value.utf8) }
    }

    mutating func strings(_ name: StaticString, _ values: [String]) {
        guard !values.isEmpty else { return }
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            escaped(value.utf8)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes an array of objects; `body` writes the members of each with the same calls.
    mutating func objects<Element>(
        _ name: StaticString, _ elements: [Element], _ body: (inout HeaderWriter, Element) -> Void
    ) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "{"))
            body(&self, element)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func quoted(_ text: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        literal(text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func digits(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var low = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // A slice that is turned round in its place is copied first.
        var high = bytes.count - 1
        while low < high {
            bytes.swapAt(low, high)
            low += 1
            high -= 1
        }
    }

    private mutating func escaped(_ value: some Sequence<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for byte in value {
            if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else {
                escape(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return bytes.append(byte) }
        literal("u00")
        bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let low = byte & 0x0f
        bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
}
