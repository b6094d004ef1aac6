/// Is told about every part of a document while `JSONScanner` reads it.
///
/// Everything is named by byte ranges of the document; nothing is copied. Depth counts the containers around a part:
/// the root has depth 0, members of the root object and their values depth 1. What a visitor was told before a fault is
/// void.
public protocol JSONVisitor {
    /// A member's name; its value comes next. `escaped` says that the bytes are not yet the name itself.
    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>)
    /// A string, number, boolean or null.
    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>)
    /// An object or array opens at `offset`.
    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int)
    /// An object or array is complete; `depth` is the same as when it opened.
    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int)
}

/// Wants to know only whether the document is well-formed.
public struct JSONValidator: JSONVisitor, Sendable {
    /// Makes one.
    @inlinable
    public init() {}

    /// Ignores the name.
    @inlinable
    public mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {}

    /// Ignores the value.
    @inlinable
    public mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {}

    /// Ignores the opening.
    @inlinable
    public mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {}

    /// Ignores the closing.
    @inlinable
    public mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {}
}
