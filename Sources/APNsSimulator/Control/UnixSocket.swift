internal import CLinux
internal import Codes

/// Most bytes of a path in a Unix socket address, without the final zero.
private let pathBytesMax = 107

/// Calls `body` with the address of `path`; nil when the path is too long or empty.
private func withUnixAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard (1...pathBytesMax).contains(bytes.count) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Connects to the socket at `path`; blocking afterwards. Throws `simulator-unreachable`.
func connectUnixSocket(_ path: String) throws(Fault) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw unreachable(path) }
    let connected = withUnixAddress(path) { connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), $1) == 0 }
    guard connected == true else {
        let fault = unreachable(path)
        close(descriptor)
        throw fault
    }
    return descriptor
}

private func unreachable(_ path: String) -> Fault {
    Fault(.simulatorUnreachable, String(cString: strerror(crl_errno())), at: path)
}

/// Listens at `path` for its owner only; a socket that nobody serves any more is replaced. Throws `simulator-socket`.
func listenUnixSocket(_ path: String) throws(Fault) -> Int32 {
    if let other = try? connectUnixSocket(path) {
        close(other)
        throw Fault(.simulatorSocket, "another simulator listens here", at: path)
    }
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) { unlink(path) }
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_UNIX, Int32(flags), 0)
    guard descriptor >= 0 else { throw socketFault(path) }
    // The permissions are set before `listen`: nobody else can connect in between.
    let bound = withUnixAddress(path) { bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), $1) == 0 }
    guard bound == true, chmod(path, 0o600) == 0, listen(descriptor, 16) == 0 else {
        let fault = bound == nil ? Fault(.simulatorSocket, "path too long", at: path) : socketFault(path)
        close(descriptor)
        throw fault
    }
    return descriptor
}

private func socketFault(_ path: String) -> Fault {
    Fault(.simulatorSocket, String(cString: strerror(crl_errno())), at: path)
}
