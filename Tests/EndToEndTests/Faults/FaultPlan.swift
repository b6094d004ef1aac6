import CLinux

/// How much is published while something goes wrong.
struct FaultPlan {
    /// Channels, each with devices; the other keys are activities with one token each.
    var channels = 100
    var keys = 10_000
    var devicesPerChannel = 2
    /// Events a second over all keys, in turn: one a second for each.
    var eventsPerSecond = 10_000
    /// One event in so many is important and has an alert.
    var alertOneIn = 50
    /// One key in so many is ended at the close.
    var endedOneIn = 4

    /// `CARILLON_FAULT_KEYS` and `CARILLON_FAULT_RATE` change the size.
    init() {
        func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
        keys = max(number("CARILLON_FAULT_KEYS") ?? keys, 2)
        eventsPerSecond = max(number("CARILLON_FAULT_RATE") ?? eventsPerSecond, 1)
        channels = min(channels, keys / 2)
    }

    /// Name of a key; the first ones are channels.
    func name(_ key: Int) -> String { key < channels ? "match/c\(key)" : "match/a\(key - channels)" }

    func isEnded(_ key: Int) -> Bool { key % endedOneIn == 0 }

    /// As the command line writes it.
    func path(_ key: Int) -> String { "cricket/" + (key < channels ? "channel/" : "activity/") + name(key) }
}
