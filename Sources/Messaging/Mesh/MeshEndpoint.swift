internal import CLinux
import Codes

/// Where a peer listens: `tcp://HOST:PORT`, the only transport of the mesh. Endpoints come from other nodes, and libzmq
/// would also follow one into this process.
struct MeshEndpoint: Hashable, Sendable {
    /// A name or an address, without brackets.
    let host: String
    let port: UInt16
    /// Whether `host` is an address and needs no resolver.
    let isNumeric: Bool

    init(_ text: String) throws(Fault) {
        guard text.hasPrefix("tcp://"), text.utf8.count <= 300, let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { throw Fault(.badEndpoint, "no tcp://HOST:PORT", at: text) }
        var host = String(text[text.index(text.startIndex, offsetBy: 6)..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else {
            throw Fault(.badEndpoint, "no host", at: text)
        }
        // 0.0.0.0, 0, ::, 0::0: whoever connects there meets itself.
        guard !host.utf8.allSatisfy({ "0.:".utf8.contains($0) }) else {
            throw Fault(.badEndpoint, "every interface of the peer, and none", at: text)
        }
        self.init(host: host, port: port)
    }

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
        var address = in6_addr()
        isNumeric = inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    /// What libzmq takes.
    var text: String { host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)" }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The addresses that `host` has now, as the system's resolver says; blocks. Empty when it has none.
    static func addresses(of host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var entry = list
        while let each = entry {
            if let address = text(each.pointee) { found.append(address) }
            entry = each.pointee.ai_next
        }
        return found
    }

    private static func text(_ entry: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard result == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
