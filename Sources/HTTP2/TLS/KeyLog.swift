internal import CLinux
internal import COpenSSL
internal import Codes

/// The file that receives session secrets (SSLKEYLOGFILE format), so that a test run can be decrypted.
final class KeyLog: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws(Fault) {
        descriptor = crl_open_key_log(path)
        guard descriptor >= 0 else { throw Fault(.tlsSettings, systemError(), at: path) }
    }

    deinit { close(descriptor) }

    /// The context's owner keeps the log alive as long as the context.
    func attach(to context: OpaquePointer) {
        SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_keylog_callback(context, writeKeyLogLine)
    }

    fileprivate func append(_ line: UnsafePointer<CChar>) {
        // One write per line: connections of several threads share the file.
        let text = Array(UnsafeBufferPointer(start: line, count: strlen(line))) + [CChar(10)]
        _ = write(descriptor, text, text.count)
    }
}

private func writeKeyLogLine(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    guard let line, let log = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0) else { return }
    Unmanaged<KeyLog>.fromOpaque(log).takeUnretainedValue().append(line)
}
