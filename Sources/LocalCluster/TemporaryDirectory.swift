internal import CLinux
internal import Codes

/// A private directory for a run, and the few file operations that it needs.
enum TemporaryDirectory {
    /// Makes one below TMPDIR or /tmp, mode 0700.
    static func make() throws(Fault) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((base + "/carillon-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw failure(base) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func makeAll(_ directory: String) throws(Fault) {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, crl_errno() != EEXIST { throw failure(path) }
        }
    }

    static func write(_ text: String, to path: String) throws(Fault) {
        let file = crl_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { CLinux.write(file, $0.baseAddress! + offset, $0.count - offset) }
            guard count > 0 else { throw failure(path) }
            offset += count
        }
    }

    /// Removes a directory with all that is in it; a symbolic link is removed, not followed.
    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR) else {
            unlink(path)
            return
        }
        for name in names(in: path) { remove(path + "/" + name) }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = String(cString: crl_entry_name(entry))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func failure(_ path: String) -> Fault {
        Fault(.outputUnwritable, String(cString: strerror(crl_errno())), at: path)
    }
}
