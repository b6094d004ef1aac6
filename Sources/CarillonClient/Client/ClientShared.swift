import Loops
import Wire

/// What the client's thread and its callers share.
final class ClientShared: Sendable {
    let mailbox: Mailbox<ClientCommand>
    let waiters = ClientWaiters()
    let onResults: (@Sendable ([PublishResult]) -> Void)?
    let receipts: AsyncStream<[EventReport]>
    private let receiptSink: AsyncStream<[EventReport]>.Continuation
    private let endDeadline = Lock<Int64?>(nil)
    private let statistics = Lock(ProducerStatistics())

    init(_ settings: ProducerSettings, onResults: (@Sendable ([PublishResult]) -> Void)?) {
        mailbox = Mailbox(capacity: settings.queueCapacity)
        self.onResults = onResults
        (receipts, receiptSink) = AsyncStream.makeStream(
            of: [EventReport].self, bufferingPolicy: .bufferingOldest(settings.receiptBatches))
    }

    /// Hands on a batch of receipts; returns how many were dropped because nobody reads.
    func deliver(_ batch: [EventReport]) -> UInt64 {
        if case .dropped = receiptSink.yield(batch) { UInt64(batch.count) } else { 0 }
    }

    func publish(_ statistics: ProducerStatistics) { self.statistics.withLock { $0 = statistics } }

    var currentStatistics: ProducerStatistics { statistics.withLock { $0 } }

    /// Asks the thread to end once everything has its result, and at `deadline` in any case. An earlier deadline
    /// counts.
    func end(by deadline: Int64) {
        endDeadline.withLock { $0 = min($0 ?? deadline, deadline) }
        mailbox.wakeup.signal()
    }

    /// When the thread must have ended; nil: it need not.
    var mustEndBy: Int64? { endDeadline.withLock { $0 } }

    /// The thread is at its end.
    func end(_ statistics: ProducerStatistics) {
        publish(statistics)
        mailbox.close()
        receiptSink.finish()
        waiters.end()
    }
}
