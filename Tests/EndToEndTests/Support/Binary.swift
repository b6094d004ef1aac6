import CLinux
import Codes

/// Where the `carillon` program is that the tests run.
enum Binary {
    /// `CARILLON_BINARY`, or the program beside the test bundle. Throws with what to do when there is none.
    static func path() throws -> String {
        let path = getenv("CARILLON_BINARY").map { String(cString: $0) } ?? besideTheTests()
        guard access(path, X_OK) == 0 else {
            throw Fault(.inputUnreadable, "build it with `swift build`, or name it in CARILLON_BINARY", at: path)
        }
        return path
    }

    private static func besideTheTests() -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/carillon"
    }
}
