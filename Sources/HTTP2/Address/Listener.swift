internal import CLinux
public import Codes

/// A listening TCP socket that never blocks.
///
/// Threads: any one at a time; usually the loop thread that serves the connections.
public final class Listener {
    /// For the poller: readable when a connection waits.
    public let descriptor: Int32
    /// The address listened on; its port is the real one when 0 was asked for.
    public let address: SocketAddress

    /// Listens on `host` (a name or an address) and `port` (0: any free one). Throws `resolve-failed` or
    /// `listen-failed`.
    public init(host: String, port: UInt16) throws(Fault) {
        let wanted = try SocketAddress.toListenOn(host: host, port: port)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let opened = socket(wanted.family, type, 0)
        guard opened >= 0 else { throw Fault(.listenFailed, systemError(), at: wanted.description) }
        setSocketOption(opened, SOL_SOCKET, SO_REUSEADDR)
        guard wanted.withSockaddr({ bind(opened, __CONST_SOCKADDR_ARG(__sockaddr__: $0), $1) }) == 0,
            listen(opened, 1024) == 0,
            let bound = SocketAddress.local(of: opened)
        else {
            let reason = systemError()
            close(opened)
            throw Fault(.listenFailed, reason, at: wanted.description)
        }
        descriptor = opened
        address = bound
    }

    deinit { close(descriptor) }

    /// The port listened on.
    public var port: UInt16 { address.port }

    /// The next waiting connection for `ServerConnection`, which will own the descriptor; nil when none waits.
    ///
    /// Throws `connect-failed` when the process has no descriptor left; the caller should pause before it tries again.
    public func accept() throws(Fault) -> Int32? {
        while true {
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let accepted = accept4(descriptor, __SOCKADDR_ARG(), nil, flags)
            if accepted >= 0 {
                setSocketOption(accepted, Int32(IPPROTO_TCP), TCP_NODELAY)
                return accepted
            }
            switch crl_errno() {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED: continue
            default: throw Fault(.connectFailed, systemError(), at: address.description)
            }
        }
    }
}

/// The text of errno.
func systemError(_ code: Int32 = crl_errno()) -> String { String(cString: strerror(code)) }

func setSocketOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
}
