internal import CLinux
internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// The control socket: lines of JSON in, lines of JSON out, one answer per command and in the same order.
///
/// Threads: the loop thread.
struct ControlServer {
    /// A client that waits for a condition; its further commands wait too.
    struct Wait {
        let condition: Condition
        /// Milliseconds since boot.
        let until: Int64
    }

    /// One control client.
    struct Client {
        let descriptor: Int32
        var input: [UInt8] = []
        var output: [UInt8] = []
        var wait: Wait?
    }

    static let clientsMax = 64
    /// Longest command.
    static let lineBytesMax = 1 << 20
    /// Most bytes of answers that a client may leave unread.
    static let outputBytesMax = 256 << 20

    let path: String
    let descriptor: Int32
    var clients: [UInt64: Client] = [:]
    private var last: UInt64 = 0

    init(path: String) throws(Fault) {
        self.path = path
        descriptor = try listenUnixSocket(path)
    }

    /// Whether a client waits for something.
    var hasWaits: Bool { clients.values.contains { $0.wait != nil } }

    /// The next new client; nil when none waits or there are too many.
    mutating func accept() -> (number: UInt64, descriptor: Int32)? {
        let accepted = accept4(
            descriptor, __SOCKADDR_ARG(), nil, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
        guard accepted >= 0 else { return nil }
        guard clients.count < Self.clientsMax else {
            CLinux.close(accepted)
            return nil
        }
        last += 1
        clients[last] = Client(descriptor: accepted)
        return (last, accepted)
    }

    /// Reads what a client sent; false when it has gone or sends too much.
    mutating func read(_ number: UInt64) -> Bool {
        guard let descriptor = clients[number]?.descriptor else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                clients[number]?.input.append(contentsOf: buffer[..<count])
                guard clients[number]?.input.count ?? 0 <= Self.lineBytesMax else { return false }
            } else {
                return count < 0 && (crl_errno() == EAGAIN || crl_errno() == EINTR)
            }
        }
    }

    /// Takes the next whole line out of a client's input; nil when there is none or the client waits.
    mutating func nextLine(_ number: UInt64) -> [UInt8]? {
        guard let client = clients[number], client.wait == nil,
            let end = client.input.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        clients[number]?.input.removeFirst(end + 1)
        return Array(client.input[..<end])
    }

    /// Queues an answer and sends what goes; false when the client has gone or reads nothing.
    mutating func answer(_ number: UInt64, _ value: JSONValue) -> Bool {
        var writer = JSONWriter()
        writer.value(value)
        clients[number]?.output.append(contentsOf: writer.bytes)
        clients[number]?.output.append(UInt8(ascii: "\n"))
        return flush(number) && clients[number]?.output.count ?? 0 <= Self.outputBytesMax
    }

    /// Sends what goes without blocking; false when the client has gone.
    mutating func flush(_ number: UInt64) -> Bool {
        guard let client = clients[number] else { return false }
        var sent = 0
        while sent < client.output.count {
            let count = client.output[sent...].withUnsafeBytes {
                send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                guard crl_errno() == EAGAIN || crl_errno() == EINTR else { return false }
                break
            }
            sent += count
        }
        if sent > 0 { clients[number]?.output.removeFirst(sent) }
        return true
    }

    mutating func drop(_ number: UInt64) {
        guard let client = clients.removeValue(forKey: number) else { return }
        CLinux.close(client.descriptor)
    }

    /// Ends all clients and takes the socket away.
    mutating func close() {
        for client in clients.values { CLinux.close(client.descriptor) }
        clients.removeAll()
        CLinux.close(descriptor)
        unlink(path)
    }
}
