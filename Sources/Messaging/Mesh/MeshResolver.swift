import Loops

/// Turns the peers' host names into addresses on a thread of its own. libzmq would do it on its I/O thread, and there
/// the resolver of the system holds up every connection of the node for as long as it waits.
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

    /// Each link asks one question at a time.
    private static let questionsMax = 2 * MeshPort.peersMax

    /// Becomes readable when answers wait.
    let wakeup = Wakeup()
    private let thread = LoopThread(name: "mesh-resolver")
    private let questions: Mailbox<Question>
    private let answers: Mailbox<Answer>
    private let state = Lock((started: false, stopped: false))

    init() {
        questions = Mailbox(capacity: Self.questionsMax, wakeup: thread.wakeup)
        answers = Mailbox(capacity: Self.questionsMax, wakeup: wakeup)
    }

    /// Asks for the addresses of `endpoint`; false when too many questions wait. The first question starts the thread:
    /// a cluster whose endpoints are addresses needs none.
    func ask(_ question: Question) -> Bool {
        let starts = state.withLock { state in
            defer { state.started = true }
            return !state.started
        }
        if starts { thread.start { [self] in run() } }
        return questions.post(question)
    }

    /// Hands over the answers that wait.
    func take(into batch: inout [Answer]) {
        wakeup.clear()
        answers.take(into: &batch)
    }

    /// Ends the thread after the question at hand. Not waited for: the system's resolver may block for half a minute.
    func stop() {
        state.withLock { $0.stopped = true }
        questions.close()
        thread.wakeup.signal()
    }

    private func run() {
        let poller = Poller()
        poller.add(thread.wakeup.descriptor, tag: 0)
        var batch: [Question] = []
        while !state.withLock({ $0.stopped }) {
            poller.wait(milliseconds: -1) { _ in }
            thread.wakeup.clear()
            questions.take(into: &batch)
            for question in batch where !state.withLock({ $0.stopped }) {
                answers.post(Answer(link: question.link, addresses: question.endpoint.resolve()))
            }
        }
    }
}
