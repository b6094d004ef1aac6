import Codes

/// The journal and the latest values in one file. Owned by one thread at a time: the opener, then the writer.
final class StoreFile {
    private let database: Database
    private let lock: DirectoryLock
    private let insert: Statement
    private let folding: Folding
    private var journal = JournalIndex()
    private static let pageBytes = 8192

    /// Rows in the journal.
    var journalRows: Int { journal.count }

    /// Names that have rows in the journal.
    var journalNames: Int { journal.nameCount }

    /// Pages in the write-ahead log.
    var logPages: Int { database.logPages }

    init(directory: String, settings: StoreSettings) throws(Fault) {
        try DirectoryLock.makeDirectory(directory)
        lock = try DirectoryLock(directory: directory)
        let path = directory + "/node.sqlite"
        try DirectoryLock.makePrivateFile(path)
        let database = try Database(path: path)
        self.database = database
        // A new file has pages that take some ten rows: half the calls and copies of the default.
        try database.execute("PRAGMA page_size = \(Self.pageBytes); PRAGMA cache_size = \(-settings.cacheKibibytes)")
        // WAL with FULL: a commit has been synced when it returns. Exclusive: no shared-memory file, no other reader.
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        if let pages = settings.databasePagesMax { try database.execute("PRAGMA max_page_count = \(pages)") }
        try Schema.migrate(database)
        insert = try database.prepare("INSERT INTO journal (seq, kind, key, value) VALUES (?1, ?2, ?3, ?4)")
        folding = try Folding(database)
        let rows = try database.prepare("SELECT kind, key FROM journal ORDER BY seq")
        journal = JournalIndex(firstRow: try database.integer("SELECT ifnull(min(seq), 1) FROM journal"))
        while try rows.step() { journal.append(NameMark(kind: Self.kind(rows), key: rows.bytes(1) ?? [])) }
        let next = try database.integer("SELECT ifnull(max(seq) + 1, 1) FROM journal")
        guard journal.nextRow == next else { throw Fault(.storageCorrupt, "the journal has a gap", at: path) }
    }

    private static func kind(_ row: Statement) -> UInt8 { UInt8(truncatingIfNeeded: row.integer(0)) }

    private static func name(_ row: Statement) -> StoreName {
        StoreName(kind: kind(row), key: row.bytes(1) ?? [])
    }

    /// Appends rows in one durable transaction; nothing is kept when it throws.
    func commit(_ batches: [StoreBatch]) throws(Fault) {
        try database.transaction { () throws(Fault) in
            var row = journal.nextRow
            for batch in batches {
                for index in batch.writes.indices {
                    try append(batch.writes[index], row)
                    row += 1
                }
            }
        }
        for batch in batches {
            for index in batch.writes.indices {
                journal.append(NameMark(kind: batch.writes[index].kind, key: batch.writes[index].key))
            }
        }
    }

    private func append(_ write: StoreWrite, _ row: Int64) throws(Fault) {
        try insert.bind(1, row)
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
    }

    /// Moves the oldest `rows` journal rows into the latest values; gives how many there were. The order of the journal
    /// is kept, so stopping after any slice loses nothing.
    func fold(rows: Int) throws(Fault) -> Int {
        let count = min(rows, journal.count)
        guard count > 0 else { return 0 }
        let newest = journal.newest(among: count)
        try database.transaction { () throws(Fault) in
            try folding.fold(newest, upTo: journal.firstRow + Int64(count) - 1)
        }
        journal.removeFirst(count, moved: newest)
        return count
    }

    /// Writes the write-ahead log back; `truncate` also gives its room back to the disk.
    func checkpoint(truncate: Bool) throws(Fault) {
        try database.checkpoint(truncate: truncate)
    }

    /// Every key's latest value: the folded ones that the journal does not replace, then the journal's.
    func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(Fault) {
        var journal: [StoreName: [UInt8]?] = [:]
        let rows = try database.prepare("SELECT kind, key, value FROM journal ORDER BY seq")
        while try rows.step() { journal.updateValue(rows.bytes(2), forKey: Self.name(rows)) }
        let latest = try database.prepare("SELECT kind, key, value FROM latest ORDER BY kind, key")
        while try latest.step() {
            let name = Self.name(latest)
            if journal[name] == nil { body(name.kind, name.key, latest.bytes(2) ?? []) }
        }
        for (name, value) in journal {
            if let value { body(name.kind, name.key, value) }
        }
    }
}
