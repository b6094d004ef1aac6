import Foundation
import LiveActivity
import Testing

@testable import carillon

@Suite struct MatchTests {
    @Test func theFactsEndWithTheResultOfTheDay() {
        var board = Scoreboard()
        var wickets = 0
        for ball in Ball.final() {
            board.bowl(ball)
            if ball.isWicket { wickets += 1 }
        }
        #expect(Ball.final().count == 184)
        #expect(board.line == "KKR 114/2 (10.3)")
        #expect(board.target == 114)
        #expect(wickets == 12)
        board.finish()
        #expect(board.result == "KKR won by 8 wickets")
    }

    @Test func everyPayloadOfTheMatchPassesTheInspector() {
        var board = Scoreboard()
        for ball in Ball.final() {
            board.bowl(ball)
            let payload = MatchPayload.update(board, alert: ball.isWicket ? "out" : nil)
            for kind in [RequestKind.broadcast, .device] {
                let report = PayloadInspector().inspect(payload.span, as: kind, nowMilliseconds: 1_790_000_000_000)
                #expect(report.isAcceptable, "\(report.findings)")
                #expect(report.layout?.hasAlert == ball.isWicket)
            }
        }
        let end = PayloadInspector().inspect(
            MatchPayload.end(board).span, as: .broadcast, nowMilliseconds: 1_790_000_000_000)
        #expect(end.event == .end && end.isAcceptable)
    }

    @Test func theOwnerIsKilledInTheMiddleOfTheSecondInnings() {
        let balls = Ball.final()
        let turn = DemoPlan.turn(of: balls)
        #expect(balls[turn].innings == 2 && balls.count - turn > 20, "\(turn) \(balls[turn])")
    }

    /// Simulators that are started without the demo need the file.
    @Test func theSchemasAreThoseOfTheFile() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try String(contentsOf: root.appending(path: "Deploy/match.json"), encoding: .utf8)
        #expect(file == MatchPayload.schemas + "\n")
    }

    @Test func aBrokenLineIsNoBall() {
        #expect(Ball(line: "1,0.1,A,B,x,0,0,,") == nil)
        #expect(Ball(line: "1,0.1,A,B") == nil)
    }
}
