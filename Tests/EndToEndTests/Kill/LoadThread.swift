import CarillonClient
import LiveActivity
import Wire

/// A thread that publishes for all keys in turn at a steady rate through the client's batch interface.
final class LoadThread: Sendable {
    private let plan: KillPlan
    private let ledger: Ledger
    private let client: CarillonProducer
    private let steady = SteadyLoad()
    private let targets: [Target]

    init(_ plan: KillPlan, _ ledger: Ledger, _ client: CarillonProducer) {
        self.plan = plan
        self.ledger = ledger
        self.client = client
        targets = (0..<plan.keys).map { key in
            key < plan.channels ? Event.target(channel: plan.name(key)) : Event.target(activity: plan.name(key))
        }
    }

    /// Events that found no room in the client: the node was away for long.
    var heldBack: Int { steady.heldBack }

    func start() {
        steady.start(keys: plan.keys, eventsPerSecond: plan.keys * plan.eventsPerSecond, stepMilliseconds: 5) {
            [self] in
            publish($0)
        }
    }

    /// Ends the load; everything handed over gets its result later.
    func stop() { steady.stop() }

    private func publish(_ keys: [Int]) -> Bool {
        let batch = keys.map { key in
            let counter = ledger.next(key)
            return (tag: Ledger.tag(key, counter), event: event(key, counter))
        }
        if client.submit(batch) { return true }
        ledger.takeBack(keys)
        return false
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
