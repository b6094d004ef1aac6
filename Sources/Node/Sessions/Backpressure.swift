internal import Cluster
internal import Wire

/// How much producers may have unanswered, by how much waits for the disk: credit runs out at the producers before the
/// queue of the node does.
struct Backpressure {
    /// Answers that may wait for the disk before credit shrinks to a quarter.
    let high: Int
    /// Answers at which it is whole again.
    let low: Int
    let fullCredit: Int
    private(set) var isTight = false

    init(waitingMax: Int, fullCredit: Int) {
        high = max(1, waitingMax / 2)
        low = max(0, waitingMax / 8)
        self.fullCredit = fullCredit
    }

    /// What each session may have unanswered now.
    var credit: Int { isTight ? max(1, fullCredit / 4) : fullCredit }

    /// Notes how many answers wait; whether the credit has changed.
    mutating func observe(waiting: Int) -> Bool {
        let wasTight = isTight
        if waiting >= high { isTight = true }
        if waiting <= low { isTight = false }
        return wasTight != isTight
    }
}

extension CoreLoop {
    /// Tells every session when its credit changes; a turn that changes nothing costs a comparison.
    func adjustCredit() {
        guard backpressure.observe(waiting: core.owner.heldBackCount) else { return }
        counters.creditChanges += 1
        for serial in sessions.serials {
            guard let session = sessions[serial], session.credit.change(to: backpressure.credit) else {
                continue
            }
            answer(.credit(backpressure.credit), to: session.identity)
        }
    }
}
