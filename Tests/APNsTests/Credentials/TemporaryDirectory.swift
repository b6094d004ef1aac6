import CLinux
import COpenSSL
import Loops

/// A directory that disappears with its test, together with the files that were named through it.
final class TemporaryDirectory: Sendable {
    let path: String
    private let names = Lock<[String]>([])

    init() {
        var template = Array("/tmp/carillon-apns-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A path inside that is removed at the end, whoever writes the file.
    func path(of name: String) -> String {
        names.withLock { $0.append(name) }
        return path + "/" + name
    }

    func file(_ name: String, _ content: some Collection<UInt8>, mode: mode_t = 0o600) -> String {
        let path = path(of: name)
        if let file = fopen(path, "we") {
            fwrite(Array(content), 1, content.count, file)
            fchmod(fileno(file), mode)
            fclose(file)
        }
        return path
    }

    deinit {
        for name in names.withLock({ $0 }) { unlink(path + "/" + name) }
        rmdir(path)
    }
}
