internal import Codes
internal import Messaging
internal import Wire

/// One connection of a producer or admin, from its `hello` on. A class, because it is found once for each message and
/// then used all along its way.
final class Session {
    /// The node's number for it; 0 until the table has given it one.
    fileprivate(set) var serial: UInt32 = 0
    /// The ROUTER's name for the connection.
    let identity: [UInt8]
    /// Name and key of the certificate, as the allow-list is asked; empty only when the node is insecure.
    let userID: String
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

    init(
        identity: [UInt8], userID: String, role: Certificate.Role, checkedGeneration: UInt64, credit: NodeCredit,
        heardAtMilliseconds: Int64
    ) {
        self.identity = identity
        self.userID = userID
        user = Certificate.name(ofUserID: userID)
        userBytes = Array(user.utf8)
        self.role = role
        self.checkedGeneration = checkedGeneration
        self.credit = credit
        self.heardAtMilliseconds = heardAtMilliseconds
    }
}

/// All sessions of a node; bounded. A full table gives up the session that has been silent longest, if that is long.
struct SessionTable {
    /// A session silent for longer may be given up for a new one, in milliseconds.
    static let silentMilliseconds: Int64 = 60_000

    private var sessions: [UInt32: Session] = [:]
    private var byIdentity: [[UInt8]: Session] = [:]
    /// The session found last: messages come in runs.
    private var last: Session?
    private var lastSerial: UInt32 = 0
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { sessions.count }
    var serials: [UInt32] { sessions.keys.sorted() }

    /// The session of a connection.
    mutating func session(of identity: [UInt8]) -> Session? {
        if let last, last.identity == identity { return last }
        guard let found = byIdentity[identity] else { return nil }
        last = found
        return found
    }

    subscript(serial: UInt32) -> Session? {
        if let last, last.serial == serial { return last }
        return sessions[serial]
    }

    /// Opens a session, or replaces the one of the same connection; false when the table is full of lively ones.
    mutating func open(_ session: Session, now bootMilliseconds: Int64) -> Bool {
        if let former = byIdentity[session.identity] { close(former) }
        if sessions.count >= capacity, !closeSilent(now: bootMilliseconds) { return false }
        repeat { lastSerial = lastSerial &+ 1 } while lastSerial == 0 || sessions[lastSerial] != nil
        sessions[lastSerial] = session
        byIdentity[session.identity] = session
        session.serial = lastSerial
        return true
    }

    mutating func close(_ session: Session) {
        guard sessions.removeValue(forKey: session.serial) != nil else { return }
        byIdentity[session.identity] = nil
        last = nil
    }

    /// The newest session of a producer; for receipts of events that came through a connection that is gone.
    func newest(user: [UInt8]) -> Session? {
        sessions.values.filter { $0.userBytes == user }.max { $0.heardAtMilliseconds < $1.heardAtMilliseconds }
    }

    private mutating func closeSilent(now: Int64) -> Bool {
        guard let oldest = sessions.values.min(by: { $0.heardAtMilliseconds < $1.heardAtMilliseconds }),
            now - oldest.heardAtMilliseconds > Self.silentMilliseconds
        else { return false }
        close(oldest)
        return true
    }
}
