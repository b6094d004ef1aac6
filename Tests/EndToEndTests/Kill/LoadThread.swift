import CLinux
import CarillonClient
import LiveActivity
import Loops
import Wire

/// A thread that publishes for all keys in turn at a steady rate through the client's batch interface.
final class LoadThread: Sendable {
    private static let stepMilliseconds: Int32 = 5

    private let plan: KillPlan
    private let ledger: Ledger
    private let client: CarillonProducer
    private let thread = LoopThread(name: "load")
    private let targets: [Target]
    private let stopping = Lock(false)
    private let held = Lock(0)

    init(_ plan: KillPlan, _ ledger: Ledger, _ client: CarillonProducer) {
        self.plan = plan
        self.ledger = ledger
        self.client = client
        targets = (0..<plan.keys).map { key in
            key < plan.channels ? Event.target(channel: plan.name(key)) : Event.target(activity: plan.name(key))
        }
    }

    /// Events that found no room in the client: the node was away for long.
    var heldBack: Int { held.withLock { $0 } }

    func start() { thread.start { [self] in run() } }

    /// Ends the load; everything handed over gets its result later.
    func stop() {
        stopping.withLock { $0 = true }
        thread.join()
    }

    private func run() {
        let began = Clock.bootMilliseconds()
        var done = 0
        while !stopping.withLock({ $0 }) {
            let elapsed = Clock.bootMilliseconds() - began
            let due = Int(elapsed) * plan.keys * plan.eventsPerSecond / 1000
            if due > done {
                publish((done..<due).map { $0 % plan.keys })
                done = due
            }
            poll(nil, 0, Self.stepMilliseconds)
        }
    }

    private func publish(_ keys: [Int]) {
        let batch = keys.map { key in
            let counter = ledger.next(key)
            return (tag: Ledger.tag(key, counter), event: event(key, counter))
        }
        guard !client.submit(batch) else { return }
        ledger.takeBack(keys)
        held.withLock { $0 += keys.count }
    }

    private func event(_ key: Int, _ counter: Int) -> Publish {
        var event = Event.update(targets[key], counter, alert: (counter + key) % plan.alertOneIn == 0)
        // A third of the keys has revisions, by which a late repetition is refused as superseded.
        if key % 3 == 0 { event.revision = Int64(counter) }
        return event
    }

    /// Publishes the last event of every key; some end.
    func close() -> Bool {
        let batch = (0..<plan.keys).map { key in
            let counter = ledger.next(key)
            var event = Event.update(targets[key], counter, event: plan.isEnded(key) ? .end : .update)
            if key % 3 == 0 { event.revision = Int64(counter) }
            return (tag: Ledger.tag(key, counter), event: event)
        }
        return client.submit(batch)
    }
}
