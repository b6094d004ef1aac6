public import Codes
import Loops

/// The public certificates that are let in: directories of `.key` files, read again when they change.
///
/// The ZAP handler asks by key when a connection is made; the core asks by name for every message, because removing a
/// certificate does not end the connections that it opened. Threads: any.
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

        /// The role of the owner of a connection; nil when its certificate is not (or no longer) allowed, or its name
        /// has another key by now.
        public func role(of userID: String) -> Certificate.Role? {
            guard let certificate = byName[Certificate.name(ofUserID: userID)], certificate.userID == userID else {
                return nil
            }
            return certificate.role
        }

        /// The certificate with this public key (32 bytes), if it is allowed.
        public func certificate(key: [UInt8]) -> Certificate? { byKey[key].flatMap { byName[$0] } }
    }

    private struct State {
        var snapshot = Snapshot()
        var fingerprint: CertificateDirectory.Fingerprint?
        var readingsBegun: UInt64 = 0
        var readingStored: UInt64 = 0
    }

    /// Most certificates of a list; more files are left out and reported.
    public static let certificatesMax = 10_000

    private let directories: [String]
    private let state = Lock(State())

    /// Reads `directories`; throws when one cannot be read at all. Single bad files are left out and stand in
    /// `Snapshot.faults`.
    public init(directories: [String]) throws(Fault) {
        self.directories = directories
        try reload()
    }

    /// The list as it is now. Take it once per batch of messages: it costs a lock.
    public var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Reads the directories again if anything in them has changed; whether it has. On a fault the list stays as it is.
    @discardableResult
    public func reload() throws(Fault) -> Bool {
        let reading = state.withLock { state in
            state.readingsBegun += 1
            return state.readingsBegun
        }
        var fingerprint = CertificateDirectory.Fingerprint(files: [])
        for directory in directories {
            fingerprint.files += try CertificateDirectory.fingerprint(of: directory).files
        }
        guard state.withLock({ $0.fingerprint != fingerprint }) else { return false }
        var snapshot = Self.read(fingerprint.files.map(\.path))
        return state.withLock { state in
            // Of two threads that read at once, the one that began later has seen more.
            guard reading > state.readingStored else { return false }
            state.readingStored = reading
            snapshot.generation = state.snapshot.generation + 1
            state.snapshot = snapshot
            state.fingerprint = fingerprint
            return true
        }
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
