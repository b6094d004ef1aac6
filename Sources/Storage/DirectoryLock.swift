internal import CLinux
internal import Codes

/// An exclusive lock on a data directory, held as long as the value lives: two processes never write one database.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Makes the directory if needed (0700) and locks it.
    init(_ directory: String) throws(Fault) {
        try Self.make(directory)
        let path = directory + "/lock"
        descriptor = crl_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(.storeUnavailable, Self.errorText(), at: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw Fault(.storeLocked, holder.isEmpty ? "" : "held by process \(holder)", at: path)
        }
        ftruncate(descriptor, 0)
        let process = Array("\(getpid())".utf8)
        pwrite(descriptor, process, process.count, 0)
    }

    deinit { close(descriptor) }

    private static func holder(_ descriptor: Int32) -> String {
        var digits = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &digits, digits.count, 0)
        guard count > 0 else { return "" }
        return String(decoding: digits[..<count].prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    }

    /// Makes the directory and those above it.
    private static func make(_ directory: String) throws(Fault) {
        var path = directory.hasPrefix("/") ? "" : "."
        for part in directory.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, crl_errno() != EEXIST {
                throw Fault(.storeUnavailable, errorText(), at: path)
            }
        }
    }

    private static func errorText() -> String { String(cString: strerror(crl_errno())) }
}
