public import Codes

/// Why a document was refused, and where.
public struct JSONFault: Error, Hashable, Sendable {
    /// What is wrong with the document.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// Nothing, or nothing but whitespace.
        case empty
        /// More bytes than `JSONLimits.bytesMax`.
        case tooLarge
        /// Ends inside a value.
        case unexpectedEnd
        /// A byte that no value, comma, colon or bracket can begin with here.
        case unexpectedByte
        /// A number that RFC 8259 6 does not allow, such as `01`, `+1`, `1.` or `.5`.
        case badNumber
        /// An escape that RFC 8259 7 does not know.
        case badEscape
        /// A `\u` escape of one half of a surrogate pair.
        case loneSurrogate
        /// An unescaped byte below 0x20 inside a string.
        case controlCharacter
        /// Not UTF-8: bad, overlong, truncated or surrogate sequences, or above U+10FFFF.
        case notUTF8
        /// The same name twice in one object, compared after unescaping.
        case duplicateKey
        /// More containers inside one another than `JSONLimits.depthMax`.
        case tooDeep
        /// More members in one object than `JSONLimits.keysPerObjectMax`.
        case tooManyKeys
        /// Bytes after the value.
        case trailingBytes
    }

    /// What is wrong.
    public let reason: Reason
    /// Byte offset of the first byte that is wrong; the document's length where it ends too early.
    public let offset: Int

    /// Makes a fault at a byte offset.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The stable code that stands for the reason.
    public var code: Code {
        switch reason {
        case .empty: .bodyEmpty
        case .tooLarge: .bodyTooLarge
        case .notUTF8: .bodyNotUTF8
        case .duplicateKey: .bodyDuplicateKey
        case .tooDeep: .bodyTooDeep
        case .tooManyKeys: .bodyTooManyKeys
        case .unexpectedEnd, .unexpectedByte, .badNumber, .badEscape, .loneSurrogate, .controlCharacter,
            .trailingBytes:
            .bodyNotJSON
        }
    }

    /// The reason in words, for the detail of a `Fault`.
    public var words: String {
        switch reason {
        case .empty: "the document is empty"
        case .tooLarge: "the document is too large"
        case .unexpectedEnd: "unexpected end at byte \(offset)"
        case .unexpectedByte: "unexpected byte at \(offset)"
        case .badNumber: "malformed number at byte \(offset)"
        case .badEscape: "unknown escape at byte \(offset)"
        case .loneSurrogate: "half a surrogate pair at byte \(offset)"
        case .controlCharacter: "unescaped control character at byte \(offset)"
        case .notUTF8: "bad UTF-8 sequence at byte \(offset)"
        case .duplicateKey: "duplicate key at byte \(offset)"
        case .tooDeep: "nested too deeply at byte \(offset)"
        case .tooManyKeys: "too many keys in one object at byte \(offset)"
        case .trailingBytes: "bytes after the end of the value at byte \(offset)"
        }
    }
}
