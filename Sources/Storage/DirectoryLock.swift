internal import CLinux
import Codes

/// Holds a data directory for this process. The kernel lets go when the process ends, however it ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock or says which process has it.
    init(directory: String) throws(Fault) {
        let path = directory + "/node.lock"
        let opened = crl_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw Fault(.storageUnusable, "cannot open the lock file: \(Self.reason())", at: path)
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let held = crl_errno() == EWOULDBLOCK
            let holder = Self.holder(opened)
            let why = Self.reason()
            close(opened)
            guard held else { throw Fault(.storageUnusable, "cannot lock: \(why)", at: path) }
            throw Fault(.storageLocked, "the directory is in use by process \(holder)", at: directory)
        }
        descriptor = opened
        writeHolder()
    }

    deinit { close(descriptor) }

    /// The text is for people; the lock itself is the kernel's.
    private func writeHolder() {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = pwrite(descriptor, text, text.count, 0)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? "(unknown)" : String(decoding: digits, as: UTF8.self)
    }

    /// The text of `errno`.
    static func reason() -> String { String(cString: strerror(crl_errno())) }

    /// Makes an empty file that only its owner reads, if there is none: SQLite's own would be readable by all, and the
    /// files beside it get the mode of this one.
    static func makePrivateFile(_ path: String) throws(Fault) {
        let opened = crl_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw Fault(.storageUnusable, "cannot open: \(reason())", at: path) }
        close(opened)
    }

    /// Makes the directory and those above it, readable by the owner only. One that is there is left as it is.
    static func makeDirectory(_ path: String) throws(Fault) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            prefix += (prefix.isEmpty || prefix == "/" ? "" : "/") + part
            guard mkdir(prefix, 0o700) != 0, crl_errno() != EEXIST, access(prefix, F_OK) != 0 else { continue }
            throw Fault(.storageUnusable, "cannot create the directory: \(reason())", at: prefix)
        }
    }
}
