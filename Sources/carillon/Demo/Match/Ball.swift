/// One delivery of the match, as the facts tell it.
struct Ball: Equatable {
    let innings: Int
    /// `over.ball` as scorers write it, for example `12.3`.
    let number: String
    let striker: String
    let bowler: String
    let runs: Int
    let extras: Int
    /// Wides and no-balls are bowled again.
    let counts: Bool
    let wicketKind: String
    let dismissed: String

    var isWicket: Bool { !wicketKind.isEmpty }

    /// Reads one line of `finalBalls`; nil when a column is missing or no number.
    init?(line: Substring) {
        let columns = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 9, let innings = Int(columns[0]), let runs = Int(columns[4]),
            let extras = Int(columns[5])
        else { return nil }
        self.innings = innings
        number = columns[1]
        striker = columns[2]
        bowler = columns[3]
        self.runs = runs
        self.extras = extras
        counts = columns[6] == "0"
        wicketKind = columns[7]
        dismissed = columns[8]
    }

    /// All balls of the final in the order they were bowled.
    static func final() -> [Ball] {
        finalBalls.split(separator: "\n").compactMap(Ball.init(line:))
    }
}
