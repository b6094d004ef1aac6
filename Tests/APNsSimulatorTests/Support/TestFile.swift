import CLinux
import Codes

/// Small files and their directories.
enum TestFile {
    /// Removes a directory with all that is in it.
    static func removeAll(_ path: String) {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = String(cString: crl_entry_name(entry))
                if name != ".", name != ".." { removeAll(path + "/" + name) }
            }
            closedir(stream)
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    /// Writes a file anew.
    static func write(_ text: String, to path: String) throws {
        let file = crl_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw Fault(.simulatorCredentials, at: path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard CLinux.write(file, bytes, bytes.count) == bytes.count else {
            throw Fault(.simulatorCredentials, at: path)
        }
    }

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
