import Testing

/// What a run of the kill test is made of.
struct KillPlan: Sendable, CustomTestStringConvertible {
    /// `strict` or `equal`: what devices do with a stamp that equals the one they show.
    let stampReading: String
    /// How often the node is killed under load; three more follow at the close.
    let kills: Int
    var channels = 150
    var activities = 50
    var tokensPerActivity = 2
    var devicesPerChannel = 2
    /// Events a second for each key.
    var eventsPerSecond = 20
    /// One event in so many is important and has an alert.
    var alertOneIn = 25
    /// One key in so many is ended at the close.
    var endedOneIn = 4

    var keys: Int { channels + activities }
    var testDescription: String { "\(stampReading) reading, \(kills) kills" }

    /// Name of a key; the first ones are channels.
    func name(_ key: Int) -> String { key < channels ? "match/c\(key)" : "match/a\(key - channels)" }

    func isEnded(_ key: Int) -> Bool { key % endedOneIn == 0 }
}
