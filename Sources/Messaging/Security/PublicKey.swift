internal import CZeroMQ

/// A CURVE public key: 32 bytes, written as 40 characters of Z85.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Takes 32 bytes; nil for another number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Takes 40 characters of Z85; nil when they are none.
    public init?(text: String) {
        guard let bytes = Z85.decode(text) else { return nil }
        self.bytes = bytes
    }

    /// The key in Z85. Public keys are no secret.
    public var description: String { Z85.encode(bytes) }
}
