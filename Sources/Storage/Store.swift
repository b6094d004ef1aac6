public import Codes
import Loops

/// A durable map from (kind, key) to a value in which the latest write wins. It knows nothing of the contents.
///
/// Life: `open`, `load` once, `start`, then `submit` from any thread until `stop`. One thread, "store", does all
/// writing: whatever waits when it looks becomes one transaction (group commit), synced before it is reported.
public final class Store: Sendable {
    private let file: Lock<StoreFile?>
    private let settings: StoreSettings
    private let mailbox: Mailbox<StoreBatch>
    private let thread: LoopThread
    private let figures = Lock(StoreStatistics())
    private let phase = Lock(Phase.opened)

    private enum Phase {
        case opened, running, stopping, stopped
    }

    private init(_ file: StoreFile, _ settings: StoreSettings) {
        let wakeup = Wakeup()
        self.file = Lock(file)
        self.settings = settings
        mailbox = Mailbox(capacity: settings.waitingBatchesMax, wakeup: wakeup)
        thread = LoopThread(name: "store", wakeup: wakeup)
        let rows = file.journalRows
        figures.withLock { $0.journalRows = rows }
    }

    /// Opens the directory for this process alone: makes it (mode 0700) and its `node.sqlite` when missing, and brings
    /// an older file to the current version.
    ///
    /// Throws `storageLocked` with the process that has it, `storageNewer`, `storageForeign`, `storageCorrupt`,
    /// `storageUnusable`, or what the disk said.
    public static func open(directory: String, settings: StoreSettings = StoreSettings()) throws(Fault) -> Store {
        Store(try StoreFile(directory: directory, settings: settings), settings)
    }

    /// Hands every key's latest value to `body` (kind, key, value), in no order. Between `open` and `start` only, on
    /// the caller's thread.
    public func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(Fault) {
        let file = file.withLock { $0 }
        precondition(file != nil, "load after start")
        try file?.load(body)
    }

    /// Starts the writer. `onCommit` is called on its thread, once per transaction, in order: all batches after those
    /// of the call before and up to number `upTo` are durable, or, with a failure, none of them is known to be. Must
    /// not block or call `stop`.
    public func start(onCommit: @escaping @Sendable (_ upTo: UInt64, _ failure: Fault?) -> Void) {
        let opened = phase.withLock { phase in
            defer { phase = .running }
            return phase == .opened
        }
        precondition(opened, "started twice")
        thread.start { [self] in
            guard let file = takeFile() else { return }
            var writer = StoreWriter(file: file, settings: settings, figures: figures, onCommit: onCommit)
            run(&writer)
        }
    }

    private func takeFile() -> StoreFile? {
        file.withLock { file in
            defer { file = nil }
            return file
        }
    }

    /// Gives a batch to the writer. False when too many wait already or the store is stopping: nothing of it will be
    /// kept.
    public func submit(_ batch: StoreBatch) -> Bool {
        if mailbox.post(batch) { return true }
        figures.withLock { $0.refusedBatches += 1 }
        return false
    }

    /// Writes and reports what waits, folds what it can of the journal in `finishMilliseconds`, closes the file and
    /// lets go of the directory. From any thread but the store's; a second call does nothing.
    public func stop() {
        mailbox.close()
        let before = phase.withLock { phase in
            let before = phase
            phase = before == .running ? .stopping : .stopped
            return before
        }
        switch before {
        case .opened:
            _ = takeFile()
        case .running:
            thread.wakeup.signal()
            thread.join()
            phase.withLock { $0 = .stopped }
        case .stopping, .stopped:
            break
        }
    }

    /// The figures at this moment; from any thread.
    public func statistics() -> StoreStatistics { figures.withLock { $0 } }

    private func run(_ writer: inout StoreWriter) {
        let poller = Poller()
        poller.add(thread.wakeup.descriptor, tag: 0)
        var batches: [StoreBatch] = []
        while true {
            // Read before taking: the mailbox is closed before the phase changes, so what was posted is taken.
            let stopping = phase.withLock { $0 != .running }
            mailbox.take(into: &batches)
            if !batches.isEmpty {
                writer.commit(batches)
            } else if stopping {
                return writer.finish()
            } else {
                poller.wait(milliseconds: writer.keepHouse()) { _ in }
                thread.wakeup.clear()
            }
        }
    }
}
