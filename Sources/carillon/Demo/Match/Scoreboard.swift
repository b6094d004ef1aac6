/// The match as a phone shows it after a ball: the content state of the demo's Live Activity.
struct Scoreboard: Equatable {
    /// Balls so far, extras included: grows with every event, so a device that goes back is seen at once.
    private(set) var ball = 0
    private(set) var innings = 1
    private(set) var runs = 0
    private(set) var wickets = 0
    private(set) var over = "0.0"
    /// Runs the side batting second needs to win; 0 in the first innings.
    private(set) var target = 0
    private(set) var last = "toss"
    private(set) var result = ""

    static let sides = ["SRH", "KKR"]

    var side: String { Self.sides[innings - 1] }
    /// `KKR 114/2 (10.3)`.
    var line: String { "\(side) \(runs)/\(wickets) (\(over))" }

    mutating func bowl(_ next: Ball) {
        if next.innings != innings {
            innings = next.innings
            target = runs + 1
            runs = 0
            wickets = 0
        }
        ball += 1
        runs += next.runs + next.extras
        if next.isWicket { wickets += 1 }
        over = next.number
        last = next.isWicket ? "OUT \(next.dismissed), \(next.wicketKind)" : Self.stroke(next)
    }

    mutating func finish() {
        ball += 1
        result = "KKR won by \(10 - wickets) wickets"
        last = "match over"
    }

    private static func stroke(_ ball: Ball) -> String {
        let total = ball.runs + ball.extras
        if !ball.counts { return "extra, \(total)" }
        switch total {
        case 0: return "dot ball"
        case 4 where ball.runs == 4: return "FOUR by \(ball.striker)"
        case 6 where ball.runs == 6: return "SIX by \(ball.striker)"
        default: return "\(total) run\(total == 1 ? "" : "s")"
        }
    }
}
