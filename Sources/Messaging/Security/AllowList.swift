public import Codes
import Loops

/// The public certificates that are let in: a directory of `.key` files, read again when it changes.
///
/// The ZAP handler asks by key when a connection is made; the core asks by name for every message, because removing a certificate
/// does not end the connections that it opened. Threads: any.
public final class AllowList: Sendable {
    /// The list at one moment.
    public struct Snapshot: Sendable {
        /// Certificates by name.
        public fileprivate(set) var byName: [String: Certificate] = [:]
        /// Files that could not be used, for logs and metrics.
        public fileprivate(set) var faults: [Fault] = []
        /// Counts the changes, from 1 for the first reading.
        public fileprivate(set) var generation: UInt64 = 0
        fileprivate var byKey: [[UInt8]: String] = [:]

        /// The role of the certificate with this name; nil when it is not (or no longer) allowed.
        public func role(of userID: String) -> Certificate.Role? { byName[userID]?.role }

        /// The certificate with this public key (32 bytes), if it is allowed.
        public func certificate(key: [UInt8]) -> Certificate? { byKey[key].flatMap { byName[$0] } }
    }

    private struct State {
        var snapshot = Snapshot()
        var fingerprint: CertificateDirectory.Fingerprint?
    }

    /// Most certificates of a list; more files are left out and reported.
    public static let certificatesMax = 10_000

    private let directory: String
    private let state = Lock(State())

    /// Reads `directory`; throws when it cannot be read at all. Single bad files are left out and stand in `Snapshot.faults`.
    public init(directory: String) throws(Fault) {
        self.directory = directory
        try reload()
    }

    /// The list as it is now. Take it once per batch of messages: it costs a lock.
    public var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Reads the directory again if anything in it has changed; whether it has. On a fault the list stays as it is.
    @discardableResult
    public func reload() throws(Fault) -> Bool {
        let fingerprint = try CertificateDirectory.fingerprint(of: directory)
        guard state.withLock({ $0.fingerprint != fingerprint }) else { return false }
        var snapshot = Self.read(fingerprint.files.map(\.path))
        state.withLock { state in
            snapshot.generation = state.snapshot.generation + 1
            state.snapshot = snapshot
            state.fingerprint = fingerprint
        }
        return true
    }

    private static func read(_ paths: [String]) -> Snapshot {
        var snapshot = Snapshot()
        for path in paths {
            do throws(Fault) {
                guard snapshot.byName.count < certificatesMax else {
                    throw Fault(.allowListUnreadable, "more than \(certificatesMax) certificates", at: path)
                }
                let certificate = try Certificate.read(path, secret: false)
                guard snapshot.byName[certificate.name] == nil, snapshot.byKey[certificate.publicKey.bytes] == nil
                else { throw Fault(.certificateDuplicate, certificate.name, at: path) }
                snapshot.byName[certificate.name] = certificate
                snapshot.byKey[certificate.publicKey.bytes] = certificate.name
            } catch {
                if snapshot.faults.count < 100 { snapshot.faults.append(error) }
            }
        }
        return snapshot
    }
}
