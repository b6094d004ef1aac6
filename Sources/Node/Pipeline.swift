internal import Cluster
internal import Delivery

/// The way of an event on one screen. Each step is a file of Stages/ with the stage's name.
extension CoreLoop {
    /// One turn of the core thread.
    func turn() {
        wait()
        let now = moment()

        ingest(now: now)  // Ingest and Route: messages become inputs of the core
        takeCommits(now: now)  // Replicate: what is durable may be acknowledged and released
        takeReports(now: now)  // Settle: what lanes report becomes outcomes
        takeChannelAnswers(now: now)
        admit(now: now)  // Admit: budgets release keys; the turn's batch is closed
        carryOut(now: now)  // Replicate, Dispatch, Settle: what the core wants done
    }

    private func carryOut(now: Moment) {
        for effect in effects {
            switch effect {
            case .store(let batch, let writes, let isRetry): write(batch, writes, isRetry: isRetry)  // Replicate
            case .offer(let item, let destinations): offer(item, destinations)  // Dispatch
            case .manage(let intent, let app, let operation): manage(intent, app, operation)  // Dispatch
            case .reply(let origin, let reply): self.reply(origin, reply)  // Settle
            case .receipt(let receipt): send(receipt)  // Settle
            case .notice(let notice): note(notice)
            // Effects of a cluster.
            case .clusterNotice(let notice): note(notice)
            case .sendControl, .sendReplication, .withdraw, .lease, .stage, .drained: break
            }
        }
        effects.removeAll(keepingCapacity: true)
        dispatch(now: now)
        adjustCredit()
    }
}
