import Codes

/// The tables and how they came to be. A step is never changed once released; a new version adds one.
enum Schema {
    /// Marks the file as ours: "CRL1".
    static let applicationID: Int64 = 0x4352_4C31

    /// Step n brings version n to version n + 1.
    private static let steps = [
        """
        CREATE TABLE journal (seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB);
        CREATE TABLE latest (kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key))
            WITHOUT ROWID;
        PRAGMA application_id = \(applicationID);
        """
    ]

    /// The version that this program writes (`PRAGMA user_version`).
    static var version: Int64 { Int64(steps.count) }

    /// Brings the file to the current version, one transaction per step; refuses what it does not know.
    static func migrate(_ database: Database) throws(Fault) {
        let found = try database.integer("PRAGMA user_version")
        let owner = try database.integer("PRAGMA application_id")
        let tables = try database.integer("SELECT count(*) FROM sqlite_master")
        guard owner == applicationID || owner == 0 && found == 0 && tables == 0 else {
            throw Fault(.storageForeign, "application_id \(owner) with \(tables) tables", at: database.path)
        }
        guard found <= version, found >= 0 else {
            throw Fault(.storageNewer, "version \(found); this program knows \(version)", at: database.path)
        }
        for step in Int(found)..<steps.count {
            try database.transaction { () throws(Fault) in
                try database.execute(steps[step])
                try database.execute("PRAGMA user_version = \(step + 1)")
            }
        }
    }
}
