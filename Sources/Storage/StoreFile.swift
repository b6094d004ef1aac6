import Codes

/// The journal and the latest values in one file. Owned by one thread at a time: the opener, then the writer.
final class StoreFile {
    private let database: Database
    private let lock: DirectoryLock
    private let insert: Statement
    /// One slice of folding, step by step; the first two take the last sequence number of the slice.
    private let foldBounded: [Statement]
    private let foldRest: [Statement]
    /// Sequence number of the next journal row.
    private var nextRow: Int64
    /// Sequence number of the oldest journal row, if there is any.
    private var firstRow: Int64

    /// Rows in the journal.
    var journalRows: Int { Int(nextRow - firstRow) }

    /// Pages in the write-ahead log.
    var logPages: Int { database.logPages }

    init(directory: String, settings: StoreSettings) throws(Fault) {
        try DirectoryLock.makeDirectory(directory)
        lock = try DirectoryLock(directory: directory)
        let path = directory + "/node.sqlite"
        try DirectoryLock.makePrivateFile(path)
        let database = try Database(path: path)
        self.database = database
        // WAL with FULL: a commit has been synced when it returns. Exclusive: no shared-memory file, no other reader.
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        if let pages = settings.databasePagesMax { try database.execute("PRAGMA max_page_count = \(pages)") }
        try Schema.migrate(database)
        insert = try database.prepare("INSERT INTO journal (seq, kind, key, value) VALUES (?1, ?2, ?3, ?4)")
        (foldBounded, foldRest) = try Self.prepareFolding(database)
        firstRow = try database.integer("SELECT ifnull(min(seq), 1) FROM journal")
        nextRow = try database.integer("SELECT ifnull(max(seq) + 1, 1) FROM journal")
    }

    /// Appends rows in one durable transaction; nothing is kept when it throws.
    func commit(_ batches: [StoreBatch]) throws(Fault) {
        let before = nextRow
        do throws(Fault) {
            try database.transaction { () throws(Fault) in
                for batch in batches {
                    for write in batch.writes { try append(write) }
                }
            }
        } catch {
            nextRow = before
            throw error
        }
    }

    private func append(_ write: StoreWrite) throws(Fault) {
        try insert.bind(1, nextRow)
        try insert.bind(2, Int64(write.kind))
        try write.key.span.bytes.withUnsafeBytes { key throws(Fault) in
            try insert.bind(3, key)
            guard let value = write.value else {
                try insert.bind(4, nil)
                return try insert.run()
            }
            try value.span.bytes.withUnsafeBytes { bytes throws(Fault) in
                try insert.bind(4, bytes)
                try insert.run()
            }
        }
        nextRow += 1
    }

    /// A slice goes through memory, so that its rows leave the journal before they go into `latest`: a full file has
    /// the room that they free, and no other.
    private static func prepareFolding(
        _ database: Database
    ) throws(Fault) -> (bounded: [Statement], rest: [Statement]) {
        try database.execute("PRAGMA temp_store = MEMORY; CREATE TEMP TABLE slice (kind, key, value)")
        let bounded = [
            // A bare column beside max() comes from the row that has the maximum (documented by SQLite).
            try database.prepare(
                """
                INSERT INTO slice SELECT kind, key, value FROM
                    (SELECT kind, key, value, max(seq) FROM journal WHERE seq <= ?1 GROUP BY kind, key)
                """),
            try database.prepare("DELETE FROM journal WHERE seq <= ?1"),
        ]
        let rest = [
            try database.prepare(
                "DELETE FROM latest WHERE (kind, key) IN (SELECT kind, key FROM slice WHERE value IS NULL)"),
            try database.prepare(
                """
                INSERT INTO latest (kind, key, value) SELECT kind, key, value FROM slice WHERE value IS NOT NULL
                    ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value
                """),
            try database.prepare("DELETE FROM slice"),
        ]
        return (bounded, rest)
    }

    /// Moves the oldest `rows` journal rows into the latest values; gives how many there were. The order of the journal
    /// is kept, so stopping after any slice loses nothing.
    func fold(rows: Int) throws(Fault) -> Int {
        let last = min(firstRow + Int64(rows), nextRow) - 1
        guard last >= firstRow else { return 0 }
        try database.transaction { () throws(Fault) in
            for statement in foldBounded {
                try statement.bind(1, last)
                try statement.run()
            }
            for statement in foldRest { try statement.run() }
        }
        let folded = Int(last + 1 - firstRow)
        firstRow = last + 1
        return folded
    }

    /// Writes the write-ahead log back; `truncate` also gives its room back to the disk.
    func checkpoint(truncate: Bool) throws(Fault) {
        try database.checkpoint(truncate: truncate)
    }

    /// Every key's latest value: the folded ones that the journal does not replace, then the journal's.
    func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(Fault) {
        struct Name: Hashable {
            let kind: UInt8
            let key: [UInt8]
        }
        var journal: [Name: [UInt8]?] = [:]
        let rows = try database.prepare("SELECT kind, key, value FROM journal ORDER BY seq")
        while try rows.step() {
            let name = Name(kind: UInt8(truncatingIfNeeded: rows.integer(0)), key: rows.bytes(1) ?? [])
            journal.updateValue(rows.bytes(2), forKey: name)
        }
        let latest = try database.prepare("SELECT kind, key, value FROM latest ORDER BY kind, key")
        while try latest.step() {
            let name = Name(kind: UInt8(truncatingIfNeeded: latest.integer(0)), key: latest.bytes(1) ?? [])
            if journal[name] == nil { body(name.kind, name.key, latest.bytes(2) ?? []) }
        }
        for (name, value) in journal {
            if let value { body(name.kind, name.key, value) }
        }
    }
}
