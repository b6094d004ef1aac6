import CBaseline
import CLinux
import Codes
import HTTP2

/// The C server of the transport benchmarks as a child process pinned to the other core.
final class NeutralServer {
    let port: UInt16
    let authority: [UInt8]
    private let process: Int32
    private let input: Int32
    private let directory: String

    /// Starts it on CPU `cpu` with a fresh certificate for 127.0.0.1.
    init(cpu: Int32) throws(Fault) {
        let authority = try CertificateAuthority()
        let issued = try authority.issue(names: ["127.0.0.1", "localhost"])
        self.authority = authority.certificatePEM
        directory = makeDirectory()
        writeFile(directory + "/server.pem", issued.certificatePEM)
        writeFile(directory + "/server.key", issued.keyPEM)
        var toInput: Int32 = -1
        var output: Int32 = -1
        process = withArguments(
            ["/proc/self/exe", "neutral-server", directory + "/server.pem", directory + "/server.key"]
        ) { crl_spawn($0, cpu, &toInput, &output) }
        input = toInput
        var text = [UInt8](repeating: 0, count: 16)
        let count = read(output, &text, text.count)
        close(output)
        guard let number = UInt16(String(decoding: text.prefix(max(0, count - 1)), as: UTF8.self)) else {
            throw Fault(.listenFailed, "the neutral server did not start")
        }
        port = number
    }

    deinit {
        close(input)
        var cpu = 0.0
        _ = crl_wait(process, &cpu)
        for name in ["server.pem", "server.key"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    /// `carillon-bench neutral-server CERTIFICATE KEY`.
    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2 else { return 64 }
        return crl_neutral_server(arguments[0], arguments[1])
    }
}

/// A fresh directory under the system's temporary one.
func makeDirectory() -> String {
    var path = Array("/tmp/carillon-bench-XXXXXX".utf8CString)
    precondition(mkdtemp(&path) != nil, "no temporary directory")
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Writes a small file that only we can read.
func writeFile(_ path: String, _ bytes: [UInt8]) {
    let descriptor = creat(path, 0o600)
    precondition(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count, "cannot write \(path)")
    close(descriptor)
}

/// `words` as a C argument vector that holds until `body` returns.
func withArguments<Result>(_ words: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = words.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
}
