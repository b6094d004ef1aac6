internal import CSQLite
import Codes

/// One prepared statement of one connection.
final class Statement {
    private let statement: OpaquePointer
    private let database: Database

    init(_ statement: OpaquePointer, of database: Database) {
        self.statement = statement
        self.database = database
    }

    deinit { sqlite3_finalize(statement) }

    /// Goes to the next row; false when there is none.
    func step() throws(Fault) -> Bool {
        let result = sqlite3_step(statement)
        try database.check(result)
        return result == SQLITE_ROW
    }

    /// Runs a statement that gives no rows and makes it ready for the next time.
    func run() throws(Fault) {
        let result = sqlite3_step(statement)
        sqlite3_reset(statement)
        try database.check(result)
    }

    /// Makes a statement that was stepped ready for the next time.
    func reset() { sqlite3_reset(statement) }

    /// Binds an integer; parameters count from 1.
    func bind(_ index: Int32, _ value: Int64) throws(Fault) {
        try database.check(sqlite3_bind_int64(statement, index, value))
    }

    /// Binds bytes that the caller keeps alive until `run` returns; nil binds NULL.
    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer?) throws(Fault) {
        guard let bytes else { return try database.check(sqlite3_bind_null(statement, index)) }
        // A null pointer would bind NULL: no bytes are not the same as no value.
        guard bytes.count > 0 else { return try database.check(sqlite3_bind_zeroblob(statement, index, 0)) }
        try database.check(
            sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), crl_sqlite_static))
    }

    /// A column of the current row; columns count from 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// A column of the current row; nil for NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
