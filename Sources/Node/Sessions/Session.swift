internal import Codes
internal import Messaging
internal import Wire

/// One connection of a producer or admin, from its `hello` on.
struct Session {
    /// The ROUTER's name for the connection.
    let identity: [UInt8]
    /// Name of the certificate; empty only when the node is insecure.
    let user: String
    /// The same in bytes, as receipts name their producer.
    let userBytes: [UInt8]
    var role: Certificate.Role
    /// Generation of the allow-list in which the role was last looked up.
    var checkedGeneration: UInt64
    var credit: NodeCredit
    /// When it last said something, in milliseconds since boot.
    var heardAtMilliseconds: Int64
    /// Receipts that found its queue full.
    var receiptsDropped: UInt64 = 0
}

/// All sessions of a node; bounded. A full table gives up the session that has been silent longest, if that is long.
struct SessionTable {
    /// A session silent for longer may be given up for a new one, in milliseconds.
    static let silentMilliseconds: Int64 = 60_000

    private var sessions: [UInt32: Session] = [:]
    private var byIdentity: [[UInt8]: UInt32] = [:]
    private var lastSerial: UInt32 = 0
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { sessions.count }
    var serials: [UInt32] { sessions.keys.sorted() }

    func serial(of identity: [UInt8]) -> UInt32? { byIdentity[identity] }

    subscript(serial: UInt32) -> Session? {
        get { sessions[serial] }
        _modify { yield &sessions[serial] }
    }

    /// Opens a session, or replaces the one of the same connection; nil when the table is full of lively ones.
    mutating func open(_ session: Session, now bootMilliseconds: Int64) -> UInt32? {
        if let former = byIdentity[session.identity] { close(former) }
        if sessions.count >= capacity, !closeSilent(now: bootMilliseconds) { return nil }
        repeat { lastSerial = lastSerial &+ 1 } while lastSerial == 0 || sessions[lastSerial] != nil
        sessions[lastSerial] = session
        byIdentity[session.identity] = lastSerial
        return lastSerial
    }

    mutating func close(_ serial: UInt32) {
        guard let session = sessions.removeValue(forKey: serial) else { return }
        byIdentity[session.identity] = nil
    }

    /// The newest session of a producer; for receipts of events that came through a connection that is gone.
    func newest(user: [UInt8]) -> UInt32? {
        sessions.filter { $0.value.userBytes == user }.max { $0.value.heardAtMilliseconds < $1.value.heardAtMilliseconds }?
            .key
    }

    private mutating func closeSilent(now: Int64) -> Bool {
        guard let oldest = sessions.min(by: { $0.value.heardAtMilliseconds < $1.value.heardAtMilliseconds }),
            now - oldest.value.heardAtMilliseconds > Self.silentMilliseconds
        else { return false }
        close(oldest.key)
        return true
    }
}
