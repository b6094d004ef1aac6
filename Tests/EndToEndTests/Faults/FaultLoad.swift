import CarillonClient
import LiveActivity
import Wire

/// A thread that publishes for all keys in turn at a steady rate, whatever happens to the nodes.
final class FaultLoad: Sendable {
    private let plan: FaultPlan
    private let ledger: FaultLedger
    private let client: CarillonProducer
    private let steady = SteadyLoad()
    private let targets: [Target]

    init(_ plan: FaultPlan, _ ledger: FaultLedger, _ client: CarillonProducer) {
        (self.plan, self.ledger, self.client) = (plan, ledger, client)
        targets = (0..<plan.keys).map { key in
            key < plan.channels ? Event.target(channel: plan.name(key)) : Event.target(activity: plan.name(key))
        }
    }

    /// Events that found no room in the client, because nobody took events for long.
    var heldBack: Int { steady.heldBack }

    func start() {
        steady.start(keys: plan.keys, eventsPerSecond: plan.eventsPerSecond, stepMilliseconds: 10) { [self] in
            publish($0, event: .update)
        }
    }

    /// Ends the load; everything handed over gets its result later.
    func stop() { steady.stop() }

    private func publish(_ keys: [Int], event: EventKind) -> Bool {
        let batch = zip(keys, ledger.next(keys)).map { key, counter in
            var publish = Event.update(
                targets[key], counter, event: event,
                alert: event == .update && (counter + key) % plan.alertOneIn == 0)
            publish.receipts = true
            publish.revision = Int64(counter)
            return (tag: UInt64(key) << 32 | UInt64(counter), event: publish)
        }
        if client.submit(batch) { return true }
        ledger.takeBack(keys)
        return false
    }

    /// Publishes the last event of every key; some end.
    func close() -> Bool {
        let all = Array(0..<plan.keys)
        return publish(all.filter(plan.isEnded), event: .end)
            && publish(all.filter { !plan.isEnded($0) }, event: .update)
    }
}
