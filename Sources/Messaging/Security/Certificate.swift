internal import CZeroMQ
public import Codes

/// A named CURVE key pair with the role it plays, or only its public half.
///
/// Descriptions never show the secret key.
public struct Certificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What the owner of a certificate may do.
    public enum Role: String, Sendable, CaseIterable {
        /// Publishes, asks, registers.
        case producer
        /// All of that, and administers the cluster.
        case admin
        /// Is a node of the cluster.
        case node
    }

    /// 1…64 letters, digits, dots, dashes and underscores; what the allow-list and logs call the owner.
    public let name: String
    /// What the owner may do.
    public let role: Role
    /// The public half.
    public let publicKey: PublicKey
    private let secret: [UInt8]?

    /// Whether the secret half is there.
    public var hasSecret: Bool { secret != nil }

    init(name: String, role: Role, publicKey: PublicKey, secret: [UInt8]?) {
        self.name = name
        self.role = role
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Makes a new key pair.
    public static func generate(name: String, role: Role) throws(Fault) -> Certificate {
        guard isName(name) else { throw Fault(.badCertificateName, "'\(name)'") }
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw Fault(.curveUnavailable) }
        guard let publicKey = PublicKey(text: text(publicText)), let secret = Z85.decode(text(secretText)) else {
            throw Fault(.curveUnavailable, "the key pair cannot be read")
        }
        return Certificate(name: name, role: role, publicKey: publicKey, secret: secret)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a certificate may have this name.
    public static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            } && name.utf8.first != UInt8(ascii: ".")
    }

    /// The secret half for libzmq, 32 bytes.
    func secretBytes() throws(Fault) -> [UInt8] {
        guard let secret else { throw Fault(.certificateNoSecret, "", at: name) }
        return secret
    }

    /// What ZAP calls the owner of a connection: name and key, so that a connection opened with a key that was replaced
    /// under the same name is told from the new one. No name holds a `#`.
    public var userID: String { "\(name)#\(publicKey)" }

    /// The name in a `userID`; empty for a connection without authentication.
    public static func name(ofUserID userID: String) -> String {
        String(userID.prefix { $0 != "#" })
    }

    /// The certificate without its secret half.
    public var publicPart: Certificate { Certificate(name: name, role: role, publicKey: publicKey, secret: nil) }

    /// Name, role and public key.
    public var description: String { "\(name) (\(role.rawValue)) \(publicKey)" }

    /// The same.
    public var debugDescription: String { description }
}
