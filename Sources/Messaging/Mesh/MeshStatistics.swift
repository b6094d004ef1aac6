/// What has happened on one plane of the mesh so far; only grows.
public struct MeshStatistics: Sendable, Equatable {
    /// Messages handed on.
    public var received: UInt64 = 0
    /// Their bytes.
    public var receivedBytes: UInt64 = 0
    /// Messages with more than one frame, dropped.
    public var tooManyFrames: UInt64 = 0
    /// Messages over connections whose certificate is no longer allowed, or is no node's; dropped.
    public var revoked: UInt64 = 0
    /// Messages handed to libzmq.
    public var sent: UInt64 = 0
    /// Their bytes.
    public var sentBytes: UInt64 = 0
    /// Messages dropped because too much waits for the peer already.
    public var sendsFull: UInt64 = 0
    /// Messages dropped because the peer is not connected.
    public var sendsUnreachable: UInt64 = 0
    /// Messages dropped because nobody said where the peer is, or its certificate is missing.
    public var sendsUnknown: UInt64 = 0
    /// Messages dropped for another reason.
    public var sendsFailed: UInt64 = 0
    /// TCP connections accepted.
    public var accepted: UInt64 = 0
    /// Connections of peers whose handshake succeeded.
    public var handshakesSucceeded: UInt64 = 0
    /// Handshakes that broke off.
    public var handshakesFailed: UInt64 = 0
    /// Handshakes refused because of the key.
    public var handshakesRefused: UInt64 = 0
    /// Connections of peers that ended.
    public var disconnected: UInt64 = 0
    /// Sockets made to reach a peer: the first, and one more for each change of address or key and each long silence.
    public var dialled: UInt64 = 0
    /// Endpoints or sockets that could not be used.
    public var dialsFailed: UInt64 = 0
    /// Names that had no address.
    public var resolvesFailed: UInt64 = 0

    mutating func count(_ result: Socket.SendResult, bytes: Int) {
        switch result {
        case .sent:
            sent += 1
            sentBytes += UInt64(bytes)
        case .full: sendsFull += 1
        case .unreachable: sendsUnreachable += 1
        case .failed: sendsFailed += 1
        }
    }

    mutating func count(_ event: SocketMonitor.Event) {
        switch event {
        case .accepted: accepted += 1
        case .handshakeSucceeded: handshakesSucceeded += 1
        case .handshakeFailed: handshakesFailed += 1
        case .handshakeRefused: handshakesRefused += 1
        case .disconnected: disconnected += 1
        case .connected: break
        }
    }
}
