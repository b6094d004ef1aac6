internal import CLinux
import Codes

/// What a directory of certificates looks like from outside: enough to see that something changed without reading it.
enum CertificateDirectory {
    struct File: Equatable, Sendable {
        var path: String
        var inode: UInt64
        var size: Int64
        var modifiedSeconds: Int
        var modifiedNanoseconds: Int
    }

    struct Fingerprint: Equatable, Sendable {
        var files: [File]
    }

    /// The `.key` files of `directory` in the order of their names.
    static func fingerprint(of directory: String) throws(Fault) -> Fingerprint {
        var files: [File] = []
        for name in try names(in: directory).sorted() where name.hasSuffix(".key") {
            var status = stat()
            let path = "\(directory)/\(name)"
            guard stat(path, &status) == 0 else { continue }
            files.append(
                File(
                    path: path, inode: UInt64(status.st_ino), size: Int64(status.st_size),
                    modifiedSeconds: status.st_mtim.tv_sec, modifiedNanoseconds: status.st_mtim.tv_nsec))
        }
        return Fingerprint(files: files)
    }

    private static func names(in directory: String) throws(Fault) -> [String] {
        guard let stream = opendir(directory) else {
            throw Fault(.allowListUnreadable, String(cString: strerror(crl_errno())), at: directory)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(String(cString: crl_entry_name(entry)))
        }
        return names
    }
}
