import Foundation

// Compiled into the tests and read as text by them: what SwiftSource makes of it is compared with what Codable does.

/// Stands in for ActivityKit's protocol.
protocol ActivityAttributes: Codable {
    associatedtype ContentState: Codable & Hashable
}

/// A match with everything that a schema can say.
struct SampleAttributes: ActivityAttributes {
    public typealias Status = ContentState

    public struct ContentState: Codable, Hashable {
        var homeScore = 0, awayScore: Int
        let minute: Int?
        var pace: Double
        var isLive: Bool = true
        var kickOff: Date
        var window: ClosedRange<Date>?
        var phase: SamplePhase
        var level: Level
        var players: [Player]
        var next: Next
        var marks: [SamplePhase: [Int]]
        var byNumber: [Int: String]
        /* a /* nested */ comment */ var small: Int8
        var unsigned: UInt
        var link: Foundation.URL?
        var took: Duration?
        var blob: Data?
        var tags: Set<String>? { didSet {} }
        let format = Dictionary<String, Int>()
        var title: String { "\(homeScore) : \(awayScore)" }
        static let none: [String: Int] = ["a": 1, "}": 2]

        enum CodingKeys: String, CodingKey {
            case homeScore = "home", awayScore, minute, pace, isLive, kickOff, window, phase, level, players, next
            case marks, byNumber, small, unsigned, link, took, blob, tags
        }

        func row(_ name: String = "{") -> [Int] { return [homeScore, awayScore] }
    }

    struct Player: Codable, Hashable {
        let id: UUID
        var name: String?
    }

    enum Level: Int, Codable { case low, mid = 5, high }

    var matchID: String
    let `class`: String?
    let teams: [String: SampleTeam]
}

enum SamplePhase: String, Codable {
    case first = "1st"
    case second
}

struct SampleTeam: Codable, Hashable { let founded: Optional<Int>; var grounds: Array<String> }

extension SampleAttributes {
    enum Next: Codable, Hashable {
        case idle
        case at(Date, place: String?)
        indirect case after(Next2)
    }

    struct Next2: Codable, Hashable { var steps: (Int) }
}
