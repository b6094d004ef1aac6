public import Codes
import Loops
public import Messaging
public import Wire

/// A producer's connection to a Carillon cluster: publishes, asks, registers; also what the command line administers
/// with.
///
/// It has a thread of its own that owns the socket. It keeps a session with one node at a time, honours its credit,
/// sends again what was not answered, under the same event ID, and never lets a repeated event follow a newer one of
/// the same key.
///
/// Two ways to publish: `publish(_:)` is async, one call an event; `submit(_:)` takes batches with tags and hands
/// results to a closure in batches, without a task or continuation for each. Threads: any.
public final class CarillonProducer: Sendable {
    private let settings: ProducerSettings
    private let shared: ClientShared
    private let thread = LoopThread(name: "carillon-client")

    /// Starts connecting. Throws when an endpoint cannot be parsed or a node with a server key is named without a
    /// certificate.
    ///
    /// - Parameters:
    ///   - settings: Where to and how patiently.
    ///   - context: A context to share; by default its own.
    ///   - onResults: Called on the client's thread with results of `submit`; must return soon and may call `submit`.
    public init(
        _ settings: ProducerSettings, context: MessagingContext = MessagingContext(),
        onResults: (@Sendable ([PublishResult]) -> Void)? = nil
    ) throws(Fault) {
        guard !settings.nodes.isEmpty else { throw Fault(.badEndpoint, "no node is named") }
        for node in settings.nodes {
            let trial = try Socket(.dealer, context: context, options: try ClientLoop.options(settings, node))
            try trial.connect(node.endpoint)
            trial.close()
        }
        self.settings = settings
        let shared = ClientShared(settings, onResults: onResults)
        self.shared = shared
        thread.start { ClientLoop(context: context, settings: settings, shared: shared).run() }
    }

    deinit {
        shared.end(by: 0)
        if !thread.isCurrent { thread.join() }
    }

    /// What the node said when it opened the session that is or was open last; nil before the first.
    public var ready: Ready? { shared.waiters.ready }

    /// What the client has done so far, at most a twentieth of a second old.
    public var statistics: ProducerStatistics { shared.currentStatistics }

    /// Receipts in batches, for publishes that asked for them. One reader; ends when the client closes. What is not
    /// read in time is dropped and counted.
    public var receipts: AsyncStream<[EventReport]> { shared.receipts }

    // MARK: Publishing

    /// Publishes one event and waits for its answer.
    public func publish(_ event: Publish) async throws(Refusal) -> Ack {
        let deadline = deadline()
        let result = await withCheckedContinuation { continuation in
            let waiter = shared.waiters.add(publish: continuation)
            if !shared.mailbox.post(.publish(event, .waiter(waiter), deadline: deadline)) {
                shared.waiters.settle(waiter, .failure(notTaken))
            }
        }
        return try result.get()
    }

    /// Hands over a batch of events, each with a tag that comes back with its result. False when the client's queue has
    /// no room for all of them or the client is closed: then none is taken.
    public func submit(_ batch: [(tag: UInt64, event: Publish)]) -> Bool {
        let deadline = deadline()
        return shared.mailbox.post(
            batch.map { ClientCommand.publish($0.event, .tag($0.tag), deadline: deadline) })
    }

    private func deadline() -> Int64 { Clock.bootMilliseconds() + settings.answerMilliseconds }

    private var notTaken: Refusal { Refusal(Fault(.overloaded, "the client's queue is full or the client is closed")) }

    // MARK: Other requests

    /// Sends a request and waits for its answer; `make` builds it with its number.
    func ask(_ make: @escaping @Sendable (Int64) -> ProducerMessage) async throws(Refusal) -> NodeMessage {
        let deadline = deadline()
        let result = await withCheckedContinuation { continuation in
            let waiter = shared.waiters.add(request: continuation)
            if !shared.mailbox.post(.request(waiter, deadline: deadline, make)) {
                shared.waiters.answer(waiter, .failure(notTaken))
            }
        }
        return try result.get()
    }

    /// Takes no more, waits at most `flushMilliseconds` for the results of everything handed over, says `bye` and ends.
    public func close(flushMilliseconds: Int64 = 5000) async {
        shared.end(by: Clock.bootMilliseconds() + flushMilliseconds)
        await shared.waiters.waitForEnd()
    }
}
