/// Where a byte of a document lies, for people.
public struct JSONLocation: Sendable, Hashable, CustomStringConvertible {
    /// Line, from 1.
    public let line: Int
    /// Column in bytes, from 1.
    public let column: Int

    /// Counts the lines up to `offset`, which may be the document's length.
    public init(of offset: Int, in bytes: Span<UInt8>) {
        var line = 1
        var lineStart = 0
        for index in 0..<min(max(offset, 0), bytes.count) where bytes[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        self.line = line
        self.column = max(offset, 0) - lineStart + 1
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
