internal import Loops

/// The questions about one host, and the thread that answers them.
///
/// A look-up may take longer than a connection is waited for. So an answer goes to everybody who waits by then, also to
/// those who have asked meanwhile: otherwise it would only come for those who have given up.
final class ResolverLane: Sendable {
    /// Questions that may wait; each connection being opened asks one.
    private static let questionsMax = 4096

    let questions: Mailbox<Resolver.Answer>
    private let endpoint: APNsEndpoint
    private let lookUp: Resolver.LookUp
    private let thread = LoopThread(name: "apns-resolver")
    private let stopped = Lock(false)

    init(_ endpoint: APNsEndpoint, _ lookUp: @escaping Resolver.LookUp) {
        self.endpoint = endpoint
        self.lookUp = lookUp
        questions = Mailbox(capacity: Self.questionsMax, wakeup: thread.wakeup)
    }

    func start() {
        thread.start { [self] in
            let poller = Poller()
            poller.add(thread.wakeup.descriptor, tag: 0)
            while !stopped.withLock({ $0 }) {
                poller.wait(milliseconds: -1) { _ in }
                thread.wakeup.clear()
                answerAll()
            }
        }
    }

    private func answerAll() {
        var waiting: [Resolver.Answer] = []
        questions.take(into: &waiting)
        guard !waiting.isEmpty else { return }
        let result = lookUp(endpoint)
        var late: [Resolver.Answer] = []
        questions.take(into: &late)
        for answer in waiting + late { answer(result) }
    }

    /// Ends the thread after the question at hand; not waited for.
    func stop() {
        stopped.withLock { $0 = true }
        questions.close()
        thread.wakeup.signal()
    }
}
