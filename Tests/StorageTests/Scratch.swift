import CLinux
import Codes
import Loops
import Storage

/// A directory of its own for one test, removed with everything in it.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/carillon-storage-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return "/nonexistent" }
            return String(cString: made)
        }
    }

    deinit {
        for name in ["data/node.sqlite", "data/node.sqlite-wal", "data/node.sqlite-shm", "data/node.lock"] {
            unlink(path + "/" + name)
        }
        rmdir(path + "/data")
        rmdir(path)
    }

    /// The data directory, made by the store.
    var data: String { path + "/data" }

    /// Copies database and log as they are: what a killed process leaves behind, as the kernel keeps what it was given.
    func copyFiles(to other: Scratch) {
        mkdir(other.data, 0o700)
        for name in ["node.sqlite", "node.sqlite-wal"] {
            Scratch.write(Scratch.read(data + "/" + name), to: other.data + "/" + name)
        }
    }

    static func read(_ path: String) -> [UInt8] {
        let file = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = CLinux.read(file, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func write(_ bytes: [UInt8], to path: String) {
        let file = crl_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                CLinux.write(file, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            guard count > 0 else { break }
            written += count
        }
        close(file)
    }
}

/// What a test's store reported, in order.
final class Reports: Sendable {
    struct Report: Sendable, Equatable {
        let upTo: UInt64
        let failure: Code?
    }

    private let reports = Lock<[Report]>([])
    private let wakeup = Wakeup()

    var all: [Report] { reports.withLock { $0 } }

    /// The highest number that was reported durable.
    var durable: UInt64 { all.last { $0.failure == nil }?.upTo ?? 0 }

    func add(_ upTo: UInt64, _ failure: Fault?) {
        reports.withLock { $0.append(Report(upTo: upTo, failure: failure?.code)) }
        wakeup.signal()
    }

    /// Waits until batch `number` was reported, at most ten seconds.
    func wait(for number: UInt64) -> Bool {
        let deadline = Clock.bootMilliseconds() + 10_000
        while (all.last?.upTo ?? 0) < number {
            let left = deadline - Clock.bootMilliseconds()
            guard left > 0 else { return false }
            var descriptor = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, Int32(left))
            wakeup.clear()
        }
        return true
    }
}

/// A key of the store as a dictionary key.
struct Name: Hashable {
    let kind: UInt8
    let key: [UInt8]

    init(_ kind: UInt8, _ key: [UInt8]) {
        self.kind = kind
        self.key = key
    }
}

extension Store {
    /// Everything that the store holds.
    func contents() throws(Fault) -> [Name: [UInt8]] {
        var contents: [Name: [UInt8]] = [:]
        try load { contents[Name($0, $1)] = $2 }
        return contents
    }
}

extension StoreWrite {
    /// A write of kind 1 in text.
    init(_ key: String, _ value: String?) {
        self.init(kind: 1, key: Array(key.utf8), value: value.map { Array($0.utf8) })
    }
}
