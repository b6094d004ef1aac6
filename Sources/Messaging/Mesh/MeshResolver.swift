import Loops

/// Turns the peers' host names into addresses on threads of its own. libzmq would do it on its I/O thread, and there
/// the resolver of the system holds up every connection of the node for as long as it waits.
///
/// The resolver of the system waits for many seconds when a name server says nothing, and often it says nothing about
/// the one name whose node is gone. So there are a few threads, and a question goes to the one with the fewest.
///
/// Threads: `ask` and `take` from the owner of the port.
final class MeshResolver: Sendable {
    struct Question: Sendable {
        let link: UInt64
        let endpoint: MeshEndpoint
    }

    struct Answer: Sendable {
        let link: UInt64
        let addresses: [MeshEndpoint]
    }

    /// A thread with the questions that were given to it.
    private final class Lane: Sendable {
        let thread = LoopThread(name: "mesh-resolver")
        let questions: Mailbox<Question>
        let state = Lock((isStarted: false, unanswered: 0))

        init() { questions = Mailbox(capacity: MeshResolver.questionsMax, wakeup: thread.wakeup) }
    }

    private static let lanesMax = 4
    /// Each link asks one question at a time.
    private static let questionsMax = 2 * MeshPort.peersMax

    /// Becomes readable when answers wait.
    let wakeup = Wakeup()
    private let lookUp: MeshSettings.LookUp
    private let lanes: [Lane]
    private let answers: Mailbox<Answer>
    private let stopped = Lock(false)

    /// `lookUp` blocks until it has the addresses of a host.
    init(_ lookUp: @escaping MeshSettings.LookUp) {
        self.lookUp = lookUp
        lanes = (0..<Self.lanesMax).map { _ in Lane() }
        answers = Mailbox(capacity: Self.questionsMax, wakeup: wakeup)
    }

    /// Asks for the addresses of `endpoint`; false when too many questions wait. Threads are started as they are
    /// needed: a cluster whose endpoints are addresses needs none.
    func ask(_ question: Question) -> Bool {
        let loads = lanes.map { lane in lane.state.withLock { $0.unanswered } }
        guard let least = loads.min(), let place = loads.firstIndex(of: least) else { return false }
        let lane = lanes[place]
        guard lane.questions.post(question) else { return false }
        let starts = lane.state.withLock { state in
            defer { state.isStarted = true }
            state.unanswered += 1
            return !state.isStarted
        }
        if starts { lane.thread.start { [self] in run(lane) } }
        return true
    }

    /// Hands over the answers that wait.
    func take(into batch: inout [Answer]) {
        wakeup.clear()
        answers.take(into: &batch)
    }

    /// Ends the threads after the questions at hand. Not waited for: the system's resolver may block for half a minute.
    func stop() {
        stopped.withLock { $0 = true }
        for lane in lanes {
            lane.questions.close()
            lane.thread.wakeup.signal()
        }
    }

    private func run(_ lane: Lane) {
        let poller = Poller()
        poller.add(lane.thread.wakeup.descriptor, tag: 0)
        var batch: [Question] = []
        while !stopped.withLock({ $0 }) {
            poller.wait(milliseconds: -1) { _ in }
            lane.thread.wakeup.clear()
            lane.questions.take(into: &batch)
            for question in batch where !stopped.withLock({ $0 }) {
                let addresses = lookUp(question.endpoint.host).map {
                    MeshEndpoint(host: $0, port: question.endpoint.port)
                }
                answers.post(Answer(link: question.link, addresses: addresses))
                lane.state.withLock { $0.unanswered -= 1 }
            }
        }
    }
}
