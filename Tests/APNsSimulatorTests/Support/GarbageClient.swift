import CLinux
import Codes

/// A TCP client that sends bytes which are no TLS.
final class GarbageClient {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Fault(.connectFailed, "garbage client") }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = CLinux.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_WR)) }
}
