internal import CSQLite

/// A prepared statement; belongs to the thread of its database.
final class Statement {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { sqlite3_finalize(pointer) }

    /// Runs `body` after binding, then makes the statement ready for the next use.
    func run<Result>(_ body: (Statement) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        defer {
            sqlite3_reset(pointer)
            sqlite3_clear_bindings(pointer)
        }
        return try body(self)
    }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(pointer, index, value) }

    /// Binds bytes that stay alive until the statement is reset.
    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address, and that would bind NULL.
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(pointer, index, 0)
        } else {
            sqlite3_bind_blob(pointer, index, bytes.baseAddress, Int32(bytes.count), crl_sqlite_static)
        }
    }

    /// Advances; true when a row is there.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(sqlite3_db_handle(pointer))
        }
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(pointer, column))
        guard count > 0, let start = sqlite3_column_blob(pointer, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
}

/// What SQLite says went wrong.
struct SQLiteError: Error {
    let code: Int32
    let text: String

    init(_ database: OpaquePointer?) {
        code = sqlite3_extended_errcode(database)
        text = "\(String(cString: sqlite3_errmsg(database))) (SQLite \(code))"
    }

    /// Whether the file itself is bad, not the circumstances.
    var isCorruption: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }
}
