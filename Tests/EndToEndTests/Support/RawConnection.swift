import CLinux

/// A bare TCP connection to 127.0.0.1, for peers that do not speak ZeroMQ, or only some of it.
final class RawConnection {
    private let descriptor: Int32

    /// Connects to the port of `tcp://127.0.0.1:PORT`; nil when that fails.
    init?(_ endpoint: String) {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else { return nil }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = CLinux.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Waits until the other side has said something or closed.
    func isAnswered(within milliseconds: Int64 = 10_000) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, Int32(milliseconds)) == 1
    }

    /// Whether the other side has closed the connection; reads and drops what it sends.
    var isClosed: Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0 { return crl_errno() != EAGAIN && crl_errno() != EINTR }
        }
    }

    /// The 64 bytes that open ZMTP 3.0 with the mechanism NULL or CURVE, as a client.
    static func greeting(_ mechanism: String) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]
        bytes += Array(mechanism.utf8) + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count)
        return bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
    }

    /// The NULL mechanism's READY command of a DEALER.
    static let ready: [UInt8] =
        [4, 41, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)
        + [8] + Array("Identity".utf8) + [0, 0, 0, 0]

    /// The beginning of a frame of so many bytes.
    static func frameHeader(byteCount: UInt64) -> [UInt8] {
        [2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * UInt64($0))) }
    }
}
