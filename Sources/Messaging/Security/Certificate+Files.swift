internal import CLinux
public import Codes

extension Certificate {
    /// Reads a `.key` or `.key_secret` file, as Carillon, czmq or pyzmq write it. With `secret` the secret half must be
    /// there and nobody but the owner may be able to read the file.
    public static func read(_ path: String, secret: Bool) throws(Fault) -> Certificate {
        let file = try CertificateFile.read(path)
        if secret, file.mode & 0o077 != 0 {
            throw Fault(.secretPermissions, "mode \(String(file.mode & 0o777, radix: 8))", at: path)
        }
        let certificate = try CertificateText.parse(file.bytes, stem: CertificateFile.stem(of: path), path: path)
        guard secret else { return certificate.publicPart }
        guard certificate.hasSecret else { throw Fault(.certificateNoSecret, "", at: path) }
        return certificate
    }

    /// Writes `NAME.key` and, readable by the owner only, `NAME.key_secret` into `directory`; returns both paths.
    /// Nothing is overwritten.
    @discardableResult
    public func write(directory: String) throws(Fault) -> (publicPath: String, secretPath: String) {
        let secret = try secretBytes()
        let publicPath = "\(directory)/\(name).key"
        let secretPath = publicPath + "_secret"
        for path in [publicPath, secretPath] where access(path, F_OK) == 0 {
            throw Fault(.certificateExists, "", at: path)
        }
        try CertificateFile.write(CertificateText.write(self, secret: secret), path: secretPath, mode: 0o600)
        try CertificateFile.write(CertificateText.write(self, secret: nil), path: publicPath, mode: 0o644)
        return (publicPath, secretPath)
    }
}

/// Files of certificates: small, read and written whole.
enum CertificateFile {
    /// What was read.
    struct Content {
        var bytes: [UInt8]
        var mode: UInt32
    }

    static func stem(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        for ending in [".key_secret", ".key", "_secret"] where file.hasSuffix(ending) {
            return String(file.dropLast(ending.count))
        }
        return String(file)
    }

    static func read(_ path: String) throws(Fault) -> Content {
        let file = crl_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard file >= 0 else { throw Fault(.certificateMissing, errorText(), at: path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
            throw Fault(.certificateMissing, "no regular file", at: path)
        }
        var bytes = [UInt8](repeating: 0, count: CertificateText.bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { CLinux.read(file, $0.baseAddress! + count, $0.count - count) }
            guard got >= 0 else { throw Fault(.certificateMissing, errorText(), at: path) }
            guard got > 0 else { break }
            count += got
        }
        guard count <= CertificateText.bytesMax else { throw Fault(.certificateMalformed, "too long", at: path) }
        return Content(bytes: Array(bytes[..<count]), mode: status.st_mode)
    }

    static func write(_ text: String, path: String, mode: UInt32) throws(Fault) {
        let file = crl_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw Fault(.certificateNotWritten, errorText(), at: path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard CLinux.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw Fault(.certificateNotWritten, errorText(), at: path)
        }
    }

    private static func errorText() -> String { String(cString: strerror(crl_errno())) }
}
