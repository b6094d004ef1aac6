internal import CLinux
public import Codes

/// The files that commands read and write; `-` is standard input or output.
public enum CommandFiles {
    /// The bytes of a file, or of standard input, up to `bytesMax`.
    public static func read(_ path: String, bytesMax: Int) -> Result<[UInt8], Fault> {
        if path == "-" { return Descriptor.readAll(0, bytesMax: bytesMax, name: "standard input") }
        let descriptor = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return .failure(Fault(.inputUnreadable, Descriptor.errorText(), at: path)) }
        defer { close(descriptor) }
        return Descriptor.readAll(descriptor, bytesMax: bytesMax, name: path)
    }

    /// Writes a file, or to standard output. `permissions` hold for a new file; an existing one is kept unless
    /// `replace`.
    public static func write(
        _ bytes: [UInt8], to path: String, permissions: UInt32 = 0o644, replace: Bool = true
    ) -> Result<Void, Fault> {
        if path == "-" {
            return Descriptor.writeAll(1, bytes) ? .success(()) : .failure(failure("standard output"))
        }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL)
        let descriptor = crl_open(path, flags, mode_t(permissions))
        guard descriptor >= 0 else { return .failure(failure(path)) }
        let written = Descriptor.writeAll(descriptor, bytes)
        let fault = failure(path)
        return close(descriptor) == 0 && written ? .success(()) : .failure(fault)
    }

    private static func failure(_ path: String) -> Fault {
        Fault(.outputUnwritable, Descriptor.errorText(), at: path)
    }
}
