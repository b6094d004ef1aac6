internal import CLinux
internal import Codes

private let bytesMax = 4 << 20

/// The whole of a file of at most 4 MiB.
func readFile(_ path: String) throws(Fault) -> [UInt8] {
    let file = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { throw fileFault(path) }
    defer { close(file) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while contents.count < bytesMax {
        let count = read(file, &buffer, buffer.count)
        guard count >= 0 else { throw fileFault(path) }
        if count == 0 { return contents }
        contents.append(contentsOf: buffer[..<count])
    }
    throw Fault(.simulatorCredentials, "larger than \(bytesMax) bytes", at: path)
}

/// Writes a file anew with these permissions, whatever it had before.
func writeFile(_ path: String, _ contents: [UInt8], mode: mode_t) throws(Fault) {
    unlink(path)
    let file = crl_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw fileFault(path) }
    defer { close(file) }
    var offset = 0
    while offset < contents.count {
        let count = contents[offset...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { throw fileFault(path) }
        offset += count
    }
}

func fileExists(_ path: String) -> Bool { access(path, R_OK) == 0 }

/// Makes a directory that only its owner may enter, and those above it, unless they exist.
func makePrivateDirectory(_ path: String) throws(Fault) {
    if mkdir(path, 0o700) == 0 || crl_errno() == EEXIST { return }
    guard crl_errno() == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        throw fileFault(path)
    }
    try makePrivateDirectory(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || crl_errno() == EEXIST else { throw fileFault(path) }
}

private func fileFault(_ path: String) -> Fault {
    Fault(.simulatorCredentials, String(cString: strerror(crl_errno())), at: path)
}
