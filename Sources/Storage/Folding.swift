import Codes

/// The statements that move journal rows into the latest values.
struct Folding {
    private let read: Statement
    private let clear: Statement
    private let put: Statement
    private let remove: Statement

    init(_ database: Database) throws(Fault) {
        read = try database.prepare("SELECT value FROM journal WHERE seq = ?1")
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
        var values: [[UInt8]?] = []
        values.reserveCapacity(rows.count)
        for row in rows { values.append(try value(of: row.row)) }
        try clear.bind(1, last)
        try clear.run()
        for (row, value) in zip(rows, values) { try write(row.name, value) }
    }

    private func value(of row: Int64) throws(Fault) -> [UInt8]? {
        try read.bind(1, row)
        defer { read.reset() }
        return try read.step() ? read.bytes(0) : nil
    }

    private func write(_ name: StoreName, _ value: [UInt8]?) throws(Fault) {
        let statement = value == nil ? remove : put
        try statement.bind(1, Int64(name.kind))
        try name.key.span.bytes.withUnsafeBytes { key throws(Fault) in
            try statement.bind(2, key)
            guard let value else { return try statement.run() }
            try value.span.bytes.withUnsafeBytes { bytes throws(Fault) in
                try statement.bind(3, bytes)
                try statement.run()
            }
        }
    }
}
