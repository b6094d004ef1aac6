/// The rules of `aps.timestamp`, the only fence that the device itself enforces; whole seconds since 1970.
enum Stamp {
    /// How old a stamp may be when its record is sent, in seconds (rules S2 and S3).
    static let secondsOldMax: Int64 = 10

    /// Rule S1. `last` is the key's last stamp. `unhanded` is the stamp of a record that is replaced before it was
    /// handed to a lane: the new one takes it over, so stamps do not run ahead of the clock however fast events come.
    static func next(clockSeconds: Int64, last: Int64, unhanded: Int64?) -> Int64 {
        max(clockSeconds, unhanded ?? last + 1)
    }

    /// Rules S2 and S3: whether a record must have a fresh stamp before it is sent.
    static func isStale(_ stamp: Int64, clockSeconds: Int64) -> Bool {
        clockSeconds - stamp > secondsOldMax
    }
}
