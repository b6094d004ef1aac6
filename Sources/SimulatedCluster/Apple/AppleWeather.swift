/// How bad APNs and the way to it are while faults are on.
struct AppleWeather: Sendable {
    /// How long a node waits for an answer, in milliseconds.
    static let timeOutMilliseconds: Int64 = 10_000

    /// Usual time of a request and of an answer.
    var latencyMilliseconds: ClosedRange<Int64> = 3...40
    /// Requests and answers that take up to `lateMilliseconds`, so that they overtake each other.
    var latePerMille: Int64 = 0
    var lateMilliseconds: Int64 = 0
    /// Answers that do not come back.
    var lostAnswersPerMille: Int64 = 0
    /// Requests after which the connection is lost.
    var cutsPerMille: Int64 = 0
    /// Nobody can reach it before.
    var outageUntil: Int64 = 0
    /// Single nodes cannot reach it before.
    var outageOfNodeUntil: [Int: Int64] = [:]

    /// Whether what a node sends gets there.
    func isReached(by node: Int, at time: Int64) -> Bool {
        outageUntil <= time && outageOfNodeUntil[node] ?? 0 <= time
    }

    mutating func latency(_ dice: inout Dice) -> Int64 {
        dice.within(latencyMilliseconds) + (dice.chance(perMille: latePerMille) ? dice.below(lateMilliseconds) : 0)
    }
}
