internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// One thread that sends: its mailboxes, and what other threads may ask it. The work is done by a `SendWorker` on the
/// thread.
///
/// Threads: any.
final class SendLoop: Sendable {
    enum Command: Sendable {
        case resolved(origin: Int, ConnectionID, Result<[SocketAddress], Fault>)
        /// Comes after the first `position` offers and before the others.
        case withdraw(tickets: [UInt64], position: UInt64)
    }

    private static let commandsMax = 65_536

    let number: Int
    let thread: LoopThread
    let offers: Mailbox<LaneOffer>
    let commands: Mailbox<Command>
    let figures = Lock(LoopFigures())
    /// Whether this loop's connections reach APNs.
    let reach = Lock(Reach.idle)
    /// Shared by all loops of the service.
    let fence: SendFence
    /// Set to end the loop: when it gives up what is under way, in milliseconds since boot.
    let stopDeadlineMilliseconds = Lock<Int64?>(nil)

    init(number: Int, settings: APNsSettings, fence: SendFence) {
        self.number = number
        self.fence = fence
        thread = LoopThread(name: "apns-\(number)")
        offers = Mailbox(capacity: settings.offersMax, wakeup: thread.wakeup)
        commands = Mailbox(capacity: Self.commandsMax, wakeup: thread.wakeup)
    }

    func start(
        contexts: [AppContext], settings: APNsSettings, resolver: Resolver,
        onReports: @escaping @Sendable ([LaneReport]) -> Void
    ) {
        thread.start { [self] in
            var worker = SendWorker(self, contexts: contexts, settings: settings, resolver: resolver)
            worker.run(onReports)
        }
    }

    /// Takes no more offers, lets what is under way finish until the deadline, and ends. `wait` for it afterwards.
    func stop(deadlineMilliseconds: Int64) {
        stopDeadlineMilliseconds.withLock { $0 = deadlineMilliseconds }
        offers.close()
        thread.wakeup.signal()
    }

    func wait() { thread.join() }
}
