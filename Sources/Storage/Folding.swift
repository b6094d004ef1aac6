import Codes

/// The statements that move journal rows into the latest values.
struct Folding {
    private let read: Statement
    private let clear: Statement
    private let put: Statement
    private let remove: Statement

    init(_ database: Database) throws(Fault) {
        read = try database.prepare("SELECT kind, key, value FROM journal WHERE seq = ?1")
        clear = try database.prepare("DELETE FROM journal WHERE seq <= ?1")
        put = try database.prepare(
            """
            INSERT INTO latest (kind, key, value) VALUES (?1, ?2, ?3)
                ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value
            """)
        remove = try database.prepare("DELETE FROM latest WHERE kind = ?1 AND key = ?2")
    }

    /// Moves `rows` and drops every other journal row up to number `last`; within a transaction. The values go through
    /// memory, so that the slice leaves the journal before they go into `latest`: a full file has the room that they
    /// free, and no other.
    func fold(_ rows: [JournalIndex.Newest], upTo last: Int64) throws(Fault) {
        var moved: [StoreWrite] = []
        moved.reserveCapacity(rows.count)
        for row in rows { moved.append(try contents(of: row.row)) }
        try clear.bind(1, last)
        try clear.run()
        for write in moved { try put(write) }
    }

    private func contents(of row: Int64) throws(Fault) -> StoreWrite {
        try read.bind(1, row)
        defer { read.reset() }
        guard try read.step() else { throw Fault(.storageCorrupt, "the journal lacks row \(row)") }
        return StoreWrite(
            kind: UInt8(truncatingIfNeeded: read.integer(0)), key: read.bytes(1) ?? [], value: read.bytes(2))
    }

    private func put(_ write: StoreWrite) throws(Fault) {
        let statement = write.value == nil ? remove : put
        try statement.bind(1, Int64(write.kind))
        try write.key.span.bytes.withUnsafeBytes { key throws(Fault) in
            try statement.bind(2, key)
            guard let value = write.value else { return try statement.run() }
            try value.span.bytes.withUnsafeBytes { bytes throws(Fault) in
                try statement.bind(3, bytes)
                try statement.run()
            }
        }
    }
}
