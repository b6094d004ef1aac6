public import Codes
internal import Loops

/// A durable map from (kind, key) to bytes, the latest value winning, in one SQLite file with one writer thread.
///
/// What a batch claims is durable when `onCommit` names it: write-ahead log, `synchronous = FULL`, and one transaction of everything that
/// waits (group commit). Contents are opaque.
///
/// Threads: `load` and `start` by the owner before anything else; `submit` from any thread; `stop` once at the end.
public final class Store: Sendable {
    private let writer: StoreWriter
    private let thread = LoopThread(name: "store")
    private let lock: Lock<DirectoryLock?>

    private init(writer: StoreWriter, lock: DirectoryLock) {
        self.writer = writer
        self.lock = Lock(lock)
    }

    /// Opens or makes `node.sqlite` in `directory` (made with mode 0700) and locks the directory against other processes.
    public static func open(directory: String, settings: StoreSettings = StoreSettings()) throws(Fault) -> Store {
        let lock = try DirectoryLock(directory)
        let database = try Database(path: directory + "/node.sqlite", settings: settings)
        return Store(writer: StoreWriter(database, settings, place: directory), lock: lock)
    }

    /// Calls `body` with kind, key and value of every row. Before `start`.
    public func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(Fault) {
        try writer.load(body)
    }

    /// Starts the writer. `onCommit` is called on its thread: without a fault, all batches up to the number are durable except those
    /// named in a fault before; with one, that batch was not written and nothing of it is on disk.
    public func start(onCommit: @escaping @Sendable (_ batch: UInt64, _ failure: Fault?) -> Void) {
        thread.start { [writer] in writer.run(onCommit) }
    }

    /// Queues a batch; false when the queue is full or the store stops, and then nothing of it will be written.
    public func submit(_ batch: StoreBatch) -> Bool { writer.submit(batch) }

    /// What happened so far.
    public var statistics: StoreStatistics { writer.statistics.withLock { $0 } }

    /// Writes what is queued, folds the journal, closes the file and lets go of the directory.
    public func stop() {
        writer.mailbox.close()
        writer.mailbox.wakeup.signal()
        thread.join()
        lock.withLock { $0 = nil }
    }
}
