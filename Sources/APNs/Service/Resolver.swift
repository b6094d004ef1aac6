internal import Codes
internal import HTTP2
internal import Loops

/// Turns host names into addresses on a thread of its own, anew for every connection (Docs/APNs.md 1.6), because the
/// resolver of the system blocks.
///
/// It may block for longer than a connection is waited for. So an answer goes to everybody who waits for that host by
/// then, also to those who have asked meanwhile: otherwise it would only come for those who have given up.
///
/// Threads: `resolve` from any; the answer comes on the resolver's thread.
final class Resolver: Sendable {
    typealias Answer = @Sendable (Result<[SocketAddress], Fault>) -> Void
    typealias LookUp = @Sendable (APNsEndpoint) -> Result<[SocketAddress], Fault>

    private struct Question: Sendable {
        var endpoint: APNsEndpoint
        var answer: Answer
    }

    /// Questions that may wait; each connection being opened asks one.
    private static let questionsMax = 4096

    private let lookUp: LookUp
    private let thread: LoopThread
    private let questions: Mailbox<Question>
    private let stopped = Lock(false)

    /// `lookUp` blocks until it has the addresses; the system's resolver, unless a test has names of its own.
    init(_ lookUp: @escaping LookUp = Resolver.ask) {
        self.lookUp = lookUp
        thread = LoopThread(name: "apns-resolver")
        questions = Mailbox(capacity: Self.questionsMax, wakeup: thread.wakeup)
    }

    func start() {
        thread.start { [self] in
            let poller = Poller()
            poller.add(thread.wakeup.descriptor, tag: 0)
            var waiting: [Question] = []
            while !stopped.withLock({ $0 }) {
                if waiting.isEmpty { poller.wait(milliseconds: -1) { _ in } }
                takeQuestions(into: &waiting)
                guard let endpoint = waiting.first?.endpoint else { continue }
                let result = lookUp(endpoint)
                takeQuestions(into: &waiting)
                for question in waiting where question.endpoint == endpoint { question.answer(result) }
                waiting.removeAll { $0.endpoint == endpoint }
            }
        }
    }

    private func takeQuestions(into waiting: inout [Question]) {
        guard waiting.count < Self.questionsMax else { return }
        thread.wakeup.clear()
        var batch: [Question] = []
        questions.take(into: &batch)
        waiting += batch
    }

    /// Ends the thread after the question at hand. Not waited for: the system's resolver may block for half a minute.
    func stop() {
        stopped.withLock { $0 = true }
        questions.close()
        thread.wakeup.signal()
    }

    /// Asks for the addresses of `endpoint`; false when too many questions wait.
    func resolve(_ endpoint: APNsEndpoint, _ answer: @escaping Answer) -> Bool {
        questions.post(Question(endpoint: endpoint, answer: answer))
    }

    static func ask(_ endpoint: APNsEndpoint) -> Result<[SocketAddress], Fault> {
        do throws(Fault) {
            return .success(try SocketAddress.resolve(host: endpoint.host, port: endpoint.port))
        } catch {
            return .failure(error)
        }
    }
}
