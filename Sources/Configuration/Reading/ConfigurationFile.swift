internal import CLinux
public import Codes

/// Reads the file's bytes.
enum ConfigurationFile {
    /// Larger files are no configuration.
    static let bytesMax = 1_048_576

    static func read(_ path: String) -> Result<[UInt8], Fault> {
        let descriptor = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return .failure(failure(path)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = CLinux.read(descriptor, &buffer, buffer.count)
            if count == 0 { return .success(bytes) }
            guard count > 0 else { return .failure(failure(path)) }
            bytes += buffer.prefix(count)
            guard bytes.count <= bytesMax else {
                return .failure(Fault(.configurationUnreadable, "the file is larger than \(bytesMax) bytes", at: path))
            }
        }
    }

    private static func failure(_ path: String) -> Fault {
        Fault(.configurationUnreadable, String(cString: strerror(crl_errno())), at: path)
    }
}

extension AppSettings {
    /// The bytes of `schema_file`, at most 1 MB; nil when there is none. Throws `configuration-unreadable` with its
    /// path.
    public func readSchemaFile() throws(Fault) -> [UInt8]? {
        schemaFile.isEmpty ? nil : try ConfigurationFile.read(schemaFile).get()
    }
}
