/// PEM text, from a file or held in memory.
public enum PEM: Sendable, Hashable {
    /// A file, read when the context is made.
    case file(String)
    /// The text itself.
    case bytes([UInt8])

    /// Where it comes from, for messages; never the content.
    var place: String {
        switch self {
        case .file(let path): path
        case .bytes: ""
        }
    }
}

/// A certificate with its chain, and the private key that belongs to it.
public struct Credentials: Sendable, Hashable {
    /// The certificate, followed by intermediate certificates if there are any.
    public var certificate: PEM
    /// The private key, not encrypted.
    public var key: PEM

    /// Pairs a certificate chain with its key.
    public init(certificate: PEM, key: PEM) {
        self.certificate = certificate
        self.key = key
    }
}
