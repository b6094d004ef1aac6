internal import CSQLite
internal import Codes

/// The SQLite file: schema, migrations and the few statements that the store needs. Belongs to one thread at a time.
///
/// `journal` takes rows in the order they come, which costs one page per seven or eight rows; `latest` holds the newest value of each
/// key. Folding moves rows from the first to the second.
final class Database {
    /// Layout of the file (`PRAGMA user_version`).
    static let version: Int64 = 1

    /// One statement list per version: index n brings a file from version n to n + 1.
    private static let migrations = [
        """
        CREATE TABLE journal (seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB);
        CREATE TABLE latest (kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key));
        """
    ]

    private let handle: OpaquePointer
    private let append: Statement
    private let upsert: Statement
    private let delete: Statement
    private let slice: Statement
    private let forget: Statement
    /// Sequence of the newest journal row.
    private(set) var newest: Int64 = 0
    /// Sequence up to which the journal is folded.
    private(set) var folded: Int64 = 0

    /// Rows waiting to be folded.
    var journalRows: Int { Int(newest - folded) }

    init(path: String, settings: StoreSettings) throws(Fault) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            let error = SQLiteError(opened)
            sqlite3_close_v2(opened)
            throw Fault(.storeUnavailable, error.text, at: path)
        }
        handle = opened
        do throws(SQLiteError) {
            try Self.execute(opened, Self.pragmas(settings))
            let found = try Self.integer(opened, "PRAGMA user_version")
            guard found <= Self.version else { throw TooNew(version: found).error }
            try Self.migrate(opened, from: Int(found))
            append = try Self.prepare(opened, "INSERT INTO journal VALUES (?, ?, ?, ?)")
            upsert = try Self.prepare(
                opened, "INSERT INTO latest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
            delete = try Self.prepare(opened, "DELETE FROM latest WHERE kind = ? AND key = ?")
            slice = try Self.prepare(opened, "SELECT seq, kind, key, value FROM journal WHERE seq <= ? ORDER BY seq")
            forget = try Self.prepare(opened, "DELETE FROM journal WHERE seq <= ?")
            newest = try Self.integer(opened, "SELECT coalesce(max(seq), 0) FROM journal")
            folded = try Self.integer(opened, "SELECT coalesce(min(seq), 1) - 1 FROM journal")
        } catch {
            sqlite3_close_v2(opened)
            if error.code == TooNew.code { throw Fault(.storeTooNew, error.text, at: path) }
            throw Fault(error.isCorruption ? .storeCorrupt : .storeUnavailable, error.text, at: path)
        }
    }

    deinit { sqlite3_close_v2(handle) }

    private static func pragmas(_ settings: StoreSettings) -> String {
        var text = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;
            PRAGMA wal_autocheckpoint = \(settings.checkpointPages);
            """
        if settings.pagesMax > 0 { text += "PRAGMA max_page_count = \(settings.pagesMax);" }
        return text
    }

    private static func migrate(_ handle: OpaquePointer, from version: Int) throws(SQLiteError) {
        for step in version..<Int(Self.version) {
            try execute(handle, "BEGIN; \(migrations[step]) PRAGMA user_version = \(step + 1); COMMIT;")
        }
    }

    // MARK: Writing

    /// Appends all rows in one transaction, durable when this returns.
    func commit(_ batches: ArraySlice<StoreBatch>) throws(SQLiteError) {
        let before = newest
        do throws(SQLiteError) {
            try Self.execute(handle, "BEGIN IMMEDIATE")
            for batch in batches {
                for write in batch.writes { try append(write) }
            }
            try Self.execute(handle, "COMMIT")
        } catch {
            rollBack()
            newest = before
            throw error
        }
    }

    private func append(_ write: StoreWrite) throws(SQLiteError) {
        newest += 1
        let sequence = newest
        try write.key.withBytes { (key) throws(SQLiteError) in
            try (write.value ?? []).withBytes { (value) throws(SQLiteError) in
                try append.run { (statement) throws(SQLiteError) in
                    statement.bind(1, sequence)
                    statement.bind(2, Int64(write.kind))
                    statement.bind(3, key)
                    if write.value != nil { statement.bind(4, value) }
                    _ = try statement.step()
                }
            }
        }
    }

    private func rollBack() {
        // After some errors SQLite has rolled back by itself; then this fails, which is no matter.
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    // MARK: Folding

    /// Moves up to `count` rows from the journal into the table of latest values, in one transaction.
    func fold(_ count: Int) throws(SQLiteError) {
        let limit = min(newest, folded + Int64(count))
        guard limit > folded else { return }
        let rows = try newestRows(upTo: limit)
        do throws(SQLiteError) {
            try Self.execute(handle, "BEGIN IMMEDIATE")
            for write in rows { try apply(write) }
            try forget.run { (statement) throws(SQLiteError) in
                statement.bind(1, limit)
                _ = try statement.step()
            }
            try Self.execute(handle, "COMMIT")
            folded = limit
        } catch {
            rollBack()
            throw error
        }
    }

    private func newestRows(upTo limit: Int64) throws(SQLiteError) -> [StoreWrite] {
        struct Place: Hashable {
            let kind: UInt8
            let key: [UInt8]
        }
        var places: [Place: Int] = [:]
        var rows: [StoreWrite] = []
        try slice.run { (statement) throws(SQLiteError) in
            statement.bind(1, limit)
            while try statement.step() {
                let row = statement.row(from: 1)
                if let known = places.updateValue(rows.count, forKey: Place(kind: row.kind, key: row.key)) {
                    places[Place(kind: row.kind, key: row.key)] = known
                    rows[known] = row
                } else {
                    rows.append(row)
                }
            }
        }
        return rows
    }

    private func apply(_ write: StoreWrite) throws(SQLiteError) {
        try write.key.withBytes { (key) throws(SQLiteError) in
            try (write.value ?? []).withBytes { (value) throws(SQLiteError) in
                try (write.value == nil ? delete : upsert).run { (statement) throws(SQLiteError) in
                    statement.bind(1, Int64(write.kind))
                    statement.bind(2, key)
                    if write.value != nil { statement.bind(3, value) }
                    _ = try statement.step()
                }
            }
        }
    }

    // MARK: Reading

    /// Calls `body` with every latest value; the journal must be folded.
    func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(SQLiteError) {
        let all = try Self.prepare(handle, "SELECT kind, key, value FROM latest")
        try all.run { (statement) throws(SQLiteError) in
            while try statement.step() {
                let row = statement.row(from: 0)
                body(row.kind, row.key, row.value ?? [])
            }
        }
    }

    // MARK: Plain statements

    private static func execute(_ handle: OpaquePointer, _ text: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(handle) }
    }

    private static func prepare(_ handle: OpaquePointer, _ text: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw SQLiteError(handle) }
        return Statement(statement)
    }

    private static func integer(_ handle: OpaquePointer, _ text: String) throws(SQLiteError) -> Int64 {
        try prepare(handle, text).run { (statement) throws(SQLiteError) in
            try statement.step() ? statement.integer(0) : 0
        }
    }
}

extension Statement {
    fileprivate func row(from column: Int32) -> StoreWrite {
        StoreWrite(
            kind: UInt8(truncatingIfNeeded: integer(column)), key: bytes(column + 1),
            value: isNull(column + 2) ? nil : bytes(column + 2))
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` with a typed error.
    fileprivate func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        // The standard library's own rethrows without types; the result carries the error through.
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(SQLiteError) in try body(bytes) }
        }.get()
    }
}

/// A file from the future, as an error of the same type as all others.
private struct TooNew {
    static let code: Int32 = -1
    let version: Int64
    var error: SQLiteError {
        SQLiteError(code: Self.code, text: "version \(version), this program knows \(Database.version)")
    }
}

extension SQLiteError {
    fileprivate init(code: Int32, text: String) {
        self.code = code
        self.text = text
    }
}
