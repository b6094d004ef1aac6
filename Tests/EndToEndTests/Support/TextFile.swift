import CLinux
import Codes

/// Small files of a test.
enum TextFile {
    /// The whole file; empty when it is not there.
    static func read(_ path: String) -> String {
        let file = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = CLinux.read(file, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
    }

    /// Writes the file anew.
    static func write(_ text: String, to path: String) throws {
        let file = crl_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Fault(.outputUnwritable, at: path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard CLinux.write(file, bytes, bytes.count) == bytes.count else { throw Fault(.outputUnwritable, at: path) }
    }

    static func remove(_ path: String) { unlink(path) }
}
