internal import CLinux
public import Codes

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The `sockaddr` as the kernel takes it.
    private let bytes: [UInt8]

    private init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        bytes = [UInt8](UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// Every address of `host` in the resolver's order of preference, IPv4 and IPv6, uncached. `host` may be an address
    /// itself.
    ///
    /// Blocks until the resolver answers: call it outside the loops. Throws `resolve-failed`.
    public static func resolve(host: String, port: UInt16) throws(Fault) -> [SocketAddress] {
        try lookUp(host, port, flags: 0)
    }

    static func toListenOn(host: String, port: UInt16) throws(Fault) -> SocketAddress {
        let found = try lookUp(host, port, flags: AI_PASSIVE)
        return found[0]
    }

    private static func lookUp(_ host: String, _ port: UInt16, flags: Int32) throws(Fault) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            throw Fault(.resolveFailed, String(cString: gai_strerror(result)), at: host)
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var entry = list
        while let each = entry {
            if let address = each.pointee.ai_addr {
                found.append(SocketAddress(address, each.pointee.ai_addrlen))
            }
            entry = each.pointee.ai_next
        }
        guard !found.isEmpty else { throw Fault(.resolveFailed, "no address", at: host) }
        return found
    }

    /// The local address that a socket is bound to.
    static func local(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: address), &length) == 0
                    ? SocketAddress(address, length) : nil
            }
        }
    }

    var family: Int32 { withSockaddr { address, _ in Int32(address.pointee.sa_family) } }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(raw.count)) }
        }
    }

    /// The port in host byte order; it lies at the same place in both families.
    public var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

    /// `127.0.0.1:443` or `[::1]:443`.
    public var description: String {
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            withSockaddr { address, length in
                getnameinfo(
                    address, length, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
                    ? String(cString: buffer.baseAddress!) : "?"
            }
        }
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
