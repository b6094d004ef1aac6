/// Writes JSON in the order it is told, without spaces. The caller keeps names apart and brackets balanced.
public struct JSONWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Starts with an empty document, or appends to `bytes`.
    public init(appendingTo bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// What was written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Opens an object as the next value.
    public mutating func beginObject() { open(0x7B) }

    /// Closes the innermost object.
    public mutating func endObject() { close(0x7D) }

    /// Opens an array as the next value.
    public mutating func beginArray() { open(0x5B) }

    /// Closes the innermost array.
    public mutating func endArray() { close(0x5D) }

    /// Writes a member's name; its value must follow.
    public mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(0x3A)
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) { raw(value.description.utf8) }

    /// Writes a number; what JSON cannot say (infinity, not a number) becomes null.
    public mutating func decimal(_ value: Double) {
        raw((value.isFinite ? value.description : "null").utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { raw((value ? "true" : "false").utf8) }

    /// Writes `null`.
    public mutating func null() { raw("null".utf8) }

    /// Writes bytes that are a well-formed value already.
    public mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Writes a whole tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .decimal(let value): decimal(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    /// Writes a member with a string value.
    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    /// Writes a member with an integer value.
    public mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    /// Writes a member with a boolean value.
    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(0x2C) }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            if byte >= 0x20, byte != 0x22, byte != 0x5C {
                bytes.append(byte)
            } else {
                escape(byte)
            }
        }
        bytes.append(0x22)
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
