internal import CLinux
internal import Codes

/// Whole reads and writes on file descriptors.
public enum Descriptor {
    /// Writes all bytes, waiting where it must; false when nobody reads any more or the disk is full.
    ///
    /// SIGPIPE must be ignored by the process for a closed pipe to come back as false.
    @discardableResult
    public static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                write(descriptor, raw.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if count >= 0 {
                offset += count
            } else if crl_errno() == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if crl_errno() != EINTR {
                return false
            }
        }
        return true
    }

    /// Writes text in UTF-8.
    @discardableResult
    public static func writeAll(_ descriptor: Int32, _ text: String) -> Bool {
        writeAll(descriptor, Array(text.utf8))
    }

    /// Reads to the end, up to `bytesMax`.
    static func readAll(_ descriptor: Int32, bytesMax: Int, name: String) -> Result<[UInt8], Fault> {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return .success(bytes) }
            if count < 0 {
                if crl_errno() == EINTR { continue }
                return .failure(Fault(.inputUnreadable, errorText(), at: name))
            }
            bytes += buffer.prefix(count)
            if bytes.count > bytesMax {
                return .failure(Fault(.inputTooLarge, "more than \(bytesMax) bytes", at: name))
            }
        }
    }

    /// What the last failed call says.
    static func errorText() -> String { String(cString: strerror(crl_errno())) }
}
