internal import Codes
internal import HTTP2
internal import Loops

/// Turns host names into addresses, anew for every connection (Docs/APNs.md 1.6), on threads of its own because the
/// resolver of the system blocks: one for each host, so that a name server that says nothing about one host holds up no
/// other. There are as many as the configuration names, two for each environment as a rule.
///
/// Threads: `resolve` and `stop` from any; answers come on the host's thread.
final class Resolver: Sendable {
    typealias Answer = @Sendable (Result<[SocketAddress], Fault>) -> Void
    typealias LookUp = @Sendable (APNsEndpoint) -> Result<[SocketAddress], Fault>

    private struct State {
        var lanes: [APNsEndpoint: ResolverLane] = [:]
        var isStopped = false
    }

    private let lookUp: LookUp
    private let state = Lock(State())

    /// `lookUp` blocks until it has the addresses; the system's resolver, unless a test has names of its own.
    init(_ lookUp: @escaping LookUp = Resolver.ask) { self.lookUp = lookUp }

    /// Asks for the addresses of `endpoint`; false when too many questions wait or after `stop`.
    func resolve(_ endpoint: APNsEndpoint, _ answer: @escaping Answer) -> Bool {
        lane(of: endpoint)?.questions.post(answer) ?? false
    }

    private func lane(of endpoint: APNsEndpoint) -> ResolverLane? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            if let lane = state.lanes[endpoint] { return lane }
            let lane = ResolverLane(endpoint, lookUp)
            state.lanes[endpoint] = lane
            lane.start()
            return lane
        }
    }

    /// Ends the threads after the questions at hand. Not waited for: the system's resolver may block for half a minute.
    func stop() {
        let lanes = state.withLock { state in
            state.isStopped = true
            return state.lanes.values.map { $0 }
        }
        for lane in lanes { lane.stop() }
    }

    static func ask(_ endpoint: APNsEndpoint) -> Result<[SocketAddress], Fault> {
        do throws(Fault) {
            return .success(try SocketAddress.resolve(host: endpoint.host, port: endpoint.port))
        } catch {
            return .failure(error)
        }
    }
}
