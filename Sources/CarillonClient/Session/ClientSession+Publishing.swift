import Codes
import Wire

extension ClientSession {
    /// A publish is handed over.
    mutating func submit(_ submission: Submission, into effects: inout [ClientEffect]) {
        guard !isClosing, phase != .closed else {
            return settle(submission, .failure(Refusal(Fault(.clientClosed))), &effects)
        }
        waiting.append(submission)
    }

    // MARK: Sending

    mutating func sendNew(_ now: Int64, _ effects: inout [ClientEffect]) {
        guard resends.isEmpty else { return }
        while credit.available > 0, var submission = waiting.popFirst() {
            submission.publish.sequence = nextPublish
            nextPublish += 1
            track(submission.publish)
            send(submission, now, &effects)
        }
    }

    private mutating func track(_ publish: Publish) {
        track(publish.target, publish.sequence)
        if let activity = publish.activity { track(activity, publish.sequence) }
    }

    private mutating func track(_ target: Target, _ sequence: Int64) {
        if let index = targets.index(forKey: target) {
            targets.values[index].unanswered += 1
            targets.values[index].newestSent = sequence
        } else {
            targets[target] = TargetTrack(newestSent: sequence, unanswered: 1)
        }
    }

    private mutating func send(_ submission: Submission, _ now: Int64, _ effects: inout [ClientEffect]) {
        var submission = submission
        submission.sentAt = now
        submission.isOut = true
        pending[submission.publish.sequence] = submission
        credit.send()
        statistics.sent += 1
        effects.append(.send(.publish(submission.publish)))
    }

    /// After a lost session. Without a revision an event must not follow a newer one of its key that was acknowledged:
    /// the node would take it for the newest.
    mutating func resendLost(_ now: Int64, _ effects: inout [ClientEffect]) {
        guard !resends.isEmpty else { return }
        var done = 0
        for sequence in resends {
            guard credit.available > 0 else { break }
            done += 1
            guard let submission = pending[sequence] else { continue }
            if submission.publish.revision == nil, isOvertaken(submission.publish) {
                settlePending(sequence, .failure(Refusal(Fault(.noAnswer))), &effects)
            } else {
                statistics.repeated += 1
                send(submission, now, &effects)
            }
        }
        resends.removeFirst(done)
    }

    mutating func retryDue(_ now: Int64, _ effects: inout [ClientEffect]) {
        guard !retries.isEmpty else { return }
        let due = retries.filter { $0.at <= now }.sorted { $0.sequence < $1.sequence }
        guard !due.isEmpty else { return }
        retries.removeAll { $0.at <= now }
        for retry in due {
            guard let submission = pending[retry.sequence] else { continue }
            guard mayRepeat(submission) else {
                settlePending(retry.sequence, .failure(retry.refusal), &effects)
                continue
            }
            guard credit.available > 0 else {
                retries.append(retry)
                continue
            }
            statistics.repeated += 1
            send(submission, now, &effects)
        }
    }

    /// Whether a newer event of one of its names was acknowledged.
    private func isOvertaken(_ publish: Publish) -> Bool {
        func isOvertaken(_ target: Target) -> Bool {
            targets[target].map { $0.newestAcknowledged > publish.sequence } ?? false
        }
        return isOvertaken(publish.target) || publish.activity.map(isOvertaken) ?? false
    }

    /// Whether an event may be sent once more on its own: not after a newer one of its key, unless its revision keeps
    /// it in order.
    private func mayRepeat(_ submission: Submission) -> Bool {
        let publish = submission.publish
        guard publish.revision == nil else { return true }
        return targets[publish.target]?.newestSent == publish.sequence
            && publish.activity.map { targets[$0]?.newestSent == publish.sequence } ?? true
    }

    // MARK: Answers

    mutating func acknowledge(_ ack: Ack, _ effects: inout [ClientEffect]) {
        // An earlier copy of one that waits to be sent again may be acknowledged after all: its credit is back already.
        let isOut = pending[ack.sequence]?.isOut ?? false
        guard settlePending(ack.sequence, .success(ack), &effects) else {
            statistics.unexpected += 1
            return
        }
        if isOut { credit.answer() }
    }

    mutating func refusePublish(_ nack: Nack, _ sequence: Int64, _ now: Int64, _ effects: inout [ClientEffect]) {
        guard let submission = pending[sequence] else {
            statistics.unexpected += 1
            return
        }
        if submission.isOut {
            credit.answer()
            pending[sequence]?.isOut = false
        }
        guard let wait = wait(after: nack), now + wait < submission.deadline, mayRepeat(submission) else {
            settlePending(sequence, .failure(Refusal(nack)), &effects)
            return
        }
        // Of an earlier copy: this event waits to be sent again already, once.
        guard submission.isOut else { return statistics.unexpected += 1 }
        retries.append(Retry(at: now + wait, sequence: sequence, refusal: Refusal(nack)))
    }

    /// How long to wait before what was refused is sent again; nil: it is refused for good. A shard that moves arrives,
    /// whether the node says when or not, and the same event ID is not accepted twice.
    private func wait(after nack: Nack) -> Int64? {
        nack.retryMilliseconds ?? (nack.known == .shardMoves ? Self.moveMilliseconds : nil)
    }

    mutating func expirePublishes(_ now: Int64, _ effects: inout [ClientEffect]) {
        let refusal = Refusal(Fault(.noAnswer))
        while let first = waiting.first, first.deadline <= now {
            _ = waiting.popFirst()
            settle(first, .failure(refusal), &effects)
        }
        let oldest = now - patience.resendMilliseconds
        var late: [Int64] = []
        for (sequence, submission) in pending where submission.deadline <= now || submission.sentAt <= oldest {
            late.append(sequence)
        }
        guard !late.isEmpty else { return }
        for sequence in late.sorted() {
            guard let submission = pending[sequence] else { continue }
            if submission.deadline <= now {
                if submission.isOut { credit.answer() }
                settlePending(sequence, .failure(refusal), &effects)
            } else if submission.isOut, mayRepeat(submission) {
                credit.answer()
                pending[sequence]?.isOut = false
                retries.append(Retry(at: now, sequence: sequence, refusal: refusal))
            }
        }
    }

    // MARK: Results

    /// Ends a publish that was sent; false when there is none of this number.
    @discardableResult
    mutating func settlePending(
        _ sequence: Int64, _ result: Result<Ack, Refusal>, _ effects: inout [ClientEffect]
    ) -> Bool {
        guard let submission = pending.removeValue(forKey: sequence) else { return false }
        untrack(submission.publish.target, sequence, result)
        if let activity = submission.publish.activity { untrack(activity, sequence, result) }
        settle(submission, result, &effects)
        return true
    }

    private mutating func untrack(_ target: Target, _ sequence: Int64, _ result: Result<Ack, Refusal>) {
        guard let index = targets.index(forKey: target) else { return }
        targets.values[index].unanswered -= 1
        if case .success = result, targets.values[index].newestAcknowledged < sequence {
            targets.values[index].newestAcknowledged = sequence
        }
        if targets.values[index].unanswered == 0 { targets.remove(at: index) }
    }

    mutating func settle(
        _ submission: Submission, _ result: Result<Ack, Refusal>, _ effects: inout [ClientEffect]
    ) {
        if case .success = result { statistics.acknowledged += 1 } else { statistics.refused += 1 }
        effects.append(.settle(submission.ticket, result))
    }
}
