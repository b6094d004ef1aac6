internal import CLinux
internal import Codes

/// Ports of 127.0.0.1 that nobody listens on at this moment.
enum FreePorts {
    static func choose(_ count: Int) throws(Fault) -> [UInt16] {
        var sockets: [Int32] = []
        defer { for descriptor in sockets { close(descriptor) } }
        var ports: [UInt16] = []
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            guard bound(descriptor, &address) else {
                throw Fault(.internalTrouble, "no free port: " + String(cString: strerror(crl_errno())))
            }
            ports.append(UInt16(bigEndian: address.sin_port))
        }
        return ports
    }

    private static func bound(_ descriptor: Int32, _ address: inout sockaddr_in) -> Bool {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: generic), length) == 0
                    && getsockname(descriptor, __SOCKADDR_ARG(__sockaddr__: generic), &length) == 0
            }
        }
    }
}
