internal import CSQLite
import Codes

/// One SQLite connection: opened by one thread, then used by one other.
final class Database {
    private let connection: OpaquePointer
    /// Written by SQLite after every commit; lives as long as the connection.
    private let logPagesCell: UnsafeMutablePointer<Int>
    let path: String
    /// Prepared once: each commit begins and ends with them.
    private var begin: OpaquePointer?
    private var commit: OpaquePointer?

    /// Opens or creates the file. Throws what keeps it from being used.
    init(path: String) throws(Fault) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let fault = Self.fault(result, opened, path)
            sqlite3_close_v2(opened)
            throw Fault(fault.code == .storageFailed ? .storageUnusable : fault.code, fault.detail, at: path)
        }
        connection = opened
        self.path = path
        logPagesCell = .allocate(capacity: 1)
        logPagesCell.initialize(to: 0)
        sqlite3_extended_result_codes(opened, 1)
        // Takes the place of the automatic checkpoint, which would be a pause inside a commit.
        sqlite3_wal_hook(opened, noteLogPages, logPagesCell)
        begin = try handle("BEGIN IMMEDIATE")
        commit = try handle("COMMIT")
    }

    /// Every other statement holds its database, so none is left by now.
    deinit {
        sqlite3_finalize(begin)
        sqlite3_finalize(commit)
        sqlite3_close_v2(connection)
        logPagesCell.deallocate()
    }

    /// Pages in the write-ahead log that are not written back.
    var logPages: Int { logPagesCell.pointee }

    /// Runs statements that give no rows worth reading.
    func execute(_ sql: String) throws(Fault) {
        try check(sqlite3_exec(connection, sql, nil, nil, nil))
    }

    /// Prepares one statement.
    func prepare(_ sql: String) throws(Fault) -> Statement { Statement(try handle(sql), of: self) }

    private func handle(_ sql: String) throws(Fault) -> OpaquePointer {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw Fault(.storageFailed, "empty statement", at: path) }
        return statement
    }

    private func run(_ statement: OpaquePointer?) throws(Fault) {
        let result = sqlite3_step(statement)
        sqlite3_reset(statement)
        try check(result)
    }

    /// The first column of the first row as an integer; 0 when there is no row.
    func integer(_ sql: String) throws(Fault) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Rows changed by the last insert, update or delete.
    var changes: Int { Int(sqlite3_changes(connection)) }

    /// Whether a transaction is open; some errors end it by themselves.
    var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    /// Runs `body` in one transaction: all of it is kept, or nothing and the fault says why.
    func transaction(_ body: () throws(Fault) -> Void) throws(Fault) {
        try run(begin)
        do throws(Fault) {
            try body()
            try run(commit)
        } catch {
            // A failed COMMIT may leave the transaction open, and a full disk may have ended it already.
            if isInTransaction { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Writes the write-ahead log back into the file; `truncate` also empties the log's file.
    func checkpoint(truncate: Bool) throws(Fault) {
        var pages: Int32 = 0
        var done: Int32 = 0
        let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        try check(sqlite3_wal_checkpoint_v2(connection, nil, mode, &pages, &done))
        logPagesCell.pointee = max(0, Int(pages - done))
    }

    /// Throws unless `result` is a success.
    func check(_ result: Int32) throws(Fault) {
        guard result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW else {
            throw Self.fault(result, connection, path)
        }
    }

    private static func fault(_ result: Int32, _ connection: OpaquePointer?, _ path: String) -> Fault {
        let code: Code =
            switch result & 0xFF {
            case SQLITE_FULL: .storageFull
            case SQLITE_IOERR: .storageIO
            case SQLITE_CORRUPT, SQLITE_NOTADB: .storageCorrupt
            case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .storageUnusable
            default: .storageFailed
            }
        let text = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        return Fault(code, "\(text) (SQLite \(result))", at: path)
    }
}

private func noteLogPages(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pages: Int32
) -> Int32 {
    context?.assumingMemoryBound(to: Int.self).pointee = Int(pages)
    return SQLITE_OK
}
