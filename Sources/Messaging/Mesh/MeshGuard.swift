/// Who sends over a connection, asked for every message: removing a certificate does not end the connections that it
/// opened.
struct MeshGuard {
    /// Most senders that are remembered; then all are looked up anew.
    private static let sendersMax = 4096

    private let allowList: AllowList?
    private var snapshot = AllowList.Snapshot()
    private var names: [String: String?] = [:]

    /// Nil lets everybody in under no name.
    init(_ allowList: AllowList?) { self.allowList = allowList }

    /// Takes the list as it is now; call once for each batch of messages. Whether it has changed.
    mutating func refresh() -> Bool {
        guard let allowList else { return false }
        let now = allowList.snapshot
        guard now.generation != snapshot.generation else { return false }
        snapshot = now
        names.removeAll(keepingCapacity: true)
        return true
    }

    /// The certificate's name behind a connection; nil when it is no node or not allowed any more.
    mutating func name(of userID: String) -> String? {
        guard allowList != nil else { return "" }
        if let known = names[userID] { return known }
        let name = snapshot.role(of: userID) == .node ? Certificate.name(ofUserID: userID) : nil
        if names.count >= Self.sendersMax { names.removeAll(keepingCapacity: true) }
        names[userID] = .some(name)
        return name
    }

    /// The public key of the node `name`.
    func key(of name: String) -> PublicKey? {
        guard let certificate = snapshot.byName[name], certificate.role == .node else { return nil }
        return certificate.publicKey
    }
}
