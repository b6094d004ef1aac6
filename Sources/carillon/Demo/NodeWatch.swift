internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Loops
internal import Wire

/// Asks all nodes for their status twice a second and keeps the newest documents with the ones before, for rates.
final class NodeWatch: Sendable {
    /// Two readings and the time between them. What a node said last stands until it says more.
    struct Readings: Sendable {
        var former: [String: JSONValue] = [:]
        var newest: [String: JSONValue] = [:]
        var seconds = 1.0

        /// A figure of a stage, over all nodes.
        func figure(_ stage: String, _ name: String) -> Int64 { Self.sum(newest, stage, name) }

        /// How fast it grows. A node that began anew counts from 0.
        func rate(_ stage: String, _ name: String) -> Double {
            let growth = newest.reduce(Int64(0)) { sum, node in
                let now = Self.value(node.value, stage, name)
                let before = former[node.key].map { Self.value($0, stage, name) } ?? 0
                return sum + (now < before ? now : now - before)
            }
            return Double(growth) / seconds
        }

        private static func sum(_ documents: [String: JSONValue], _ stage: String, _ name: String) -> Int64 {
            documents.values.reduce(0) { $0 + value($1, stage, name) }
        }

        private static func value(_ document: JSONValue, _ stage: String, _ name: String) -> Int64 {
            document["stages"]?[stage]?[name]?.integer ?? 0
        }
    }

    private struct State {
        var readings = Readings()
        var answers: [NodeAnswer] = []
        var mustStop = false
    }

    private let shared = Lock(State())
    private let circle: NodeCircle
    private let thread = LoopThread(name: "demo-watch")

    init(_ circle: NodeCircle) { self.circle = circle }

    var state: Readings { shared.withLock { $0.readings } }

    /// Whether the cluster is whole, as all its nodes said last.
    var health: ClusterHealth { ClusterHealth(shared.withLock { $0.answers }) }

    /// Who coordinates; empty when nobody says so.
    var coordinator: String {
        shared.withLock { $0.answers }.compactMap { $0.document?["cluster"]?["coordinator"]?.string }.first ?? ""
    }

    func start() {
        let (shared, circle) = (shared, circle)
        thread.start {
            var readAt = Clock.monotonicNanoseconds()
            while !shared.withLock({ $0.mustStop }) {
                let answers = circle.ask(.status)
                let now = Clock.monotonicNanoseconds()
                shared.withLock { Self.take(answers, Double(now - readAt) / 1e9, &$0) }
                readAt = now
                Waiting.pause(milliseconds: 500)
            }
        }
    }

    private static func take(_ answers: [NodeAnswer], _ seconds: Double, _ state: inout State) {
        state.answers = answers
        state.readings.former = state.readings.newest
        state.readings.seconds = max(0.001, seconds)
        for answer in answers {
            if let document = answer.document { state.readings.newest[answer.name] = document }
        }
    }

    /// Ends the asking and the connections.
    func stop() {
        shared.withLock { $0.mustStop = true }
        thread.join()
        circle.close()
    }
}
