import CLinux
import Codes

/// Reads small files.
enum TestFile {
    static func contents(_ path: String) throws -> [UInt8] {
        let file = crl_open(path, O_RDONLY, 0)
        guard file >= 0 else { throw Fault(.simulatorCredentials, at: path) }
        defer { close(file) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return contents }
            contents.append(contentsOf: buffer[..<count])
        }
    }
}
