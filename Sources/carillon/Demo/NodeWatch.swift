internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import LocalCluster
internal import Loops

/// Asks the node for its status twice a second and keeps the newest document with the one before, for rates.
final class NodeWatch: Sendable {
    /// Two readings and the time between them.
    struct Readings: Sendable {
        var former: JSONValue?
        var newest: JSONValue?
        var seconds = 1.0

        /// A figure of a stage.
        func figure(_ stage: String, _ name: String) -> Int64 { newest?["stages"]?[stage]?[name]?.integer ?? 0 }

        /// How fast it grows.
        func rate(_ stage: String, _ name: String) -> Double {
            let before = former?["stages"]?[stage]?[name]?.integer ?? 0
            return Double(figure(stage, name) - before) / seconds
        }
    }

    private let readings = Lock(Readings())
    private let client: CarillonProducer
    private let task = Lock<Task<Void, Never>?>(nil)

    init(_ cluster: LocalCluster) throws(Fault) {
        client = try CarillonProducer(try cluster.clientSettings(admin: true))
    }

    var state: Readings { readings.withLock { $0 } }

    func start() {
        let (client, readings) = (client, readings)
        let watching = Task.detached {
            var readAt = Clock.monotonicNanoseconds()
            while !Task.isCancelled {
                if let bytes = try? await client.nodeStatus(),
                    let document = try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20))
                {
                    let now = Clock.monotonicNanoseconds()
                    readings.withLock { state in
                        state.former = state.newest
                        state.newest = document
                        state.seconds = max(0.001, Double(now - readAt) / 1e9)
                    }
                    readAt = now
                }
                try? await Task.sleep(nanoseconds: 500_000_000)
            }
        }
        task.withLock { $0 = watching }
    }

    func stop() async {
        task.withLock { $0?.cancel() }
        await client.close(flushMilliseconds: 500)
    }
}
