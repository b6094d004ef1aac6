internal import APNs
internal import Cluster
internal import Delivery
internal import Loops
internal import Wire

/// The way of an event on one screen. Each step is a file of Stages/ with the stage's name.
extension CoreLoop {
    /// One turn of the core thread.
    func turn() {
        wait()
        let now = moment()

        if controlWaits, takeControl(now: now) { carryOut(now: now) }  // others' pings, votes and leases come first
        if ingest(now: now) { lookAtControl() }  // Ingest and Route: messages become inputs of the core
        if dataWaits { takeData(now: now) }  // Route and Replicate: what other nodes hand on, and their copies
        takeCommits(now: now)  // Replicate: what is durable may be acknowledged and released
        takeReports(now: now)  // Settle: what lanes report becomes outcomes
        takeChannelAnswers(now: now)
        watchReach(now: now)
        watchForwards(now: now)
        admit(now: now)  // Admit: budgets release keys; the turn's batch is closed
        carryOut(now: now)  // Replicate, Dispatch, Settle: what the core wants done
        maintainMesh(now: now)
    }

    func carryOut(now: Moment) {
        for effect in effects {
            switch effect {
            case .store(let batch, let writes, let isRetry): write(batch, writes, isRetry: isRetry)  // Replicate
            case .offer(let item, let destinations): offer(item, destinations)  // Dispatch
            case .manage(let intent, let app, let operation): manage(intent, app, operation)  // Dispatch
            case .reply(let origin, let reply): self.reply(origin, reply)  // Settle
            case .receipt(let receipt): send(receipt)  // Settle
            case .notice(let notice): note(notice)
            case .clusterNotice(let notice): note(notice)
            case .stage(let eventID, let stage): trace.note(eventID, stage, at: now.wallMilliseconds)
            case .sendControl(let message, let target): send(message, to: target, now: now)
            case .sendReplication(let message, let member): send(.replication(message), to: member, now: now)
            case .lease(let until): apns.lease(untilBootMilliseconds: until)  // Dispatch
            case .withdraw(let tickets): withdraw(tickets, now: now)  // Dispatch
            case .drained: handedOver.signal()
            }
        }
        effects.removeAll(keepingCapacity: true)
        withdraw([], now: now)
        dispatch(now: now)
        flushMesh()
        adjustCredit()
    }
}
