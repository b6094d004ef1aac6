import LiveActivity

/// What a node wrote to its log, line by line.
struct NodeLog {
    /// Path of the file.
    let path: String

    /// Every complete line that is JSON.
    func lines() -> [JSONValue] {
        TextFile.read(path).split(separator: "\n").compactMap { line in
            let bytes = Array(line.utf8)
            return try? JSONValue(parsing: bytes.span)
        }
    }

    /// Lines with this message, oldest first.
    func lines(_ message: String) -> [JSONValue] {
        lines().filter { $0["message"]?.string == message }
    }

    /// How often this message was written.
    func count(_ message: String) -> Int { lines(message).count }
}
