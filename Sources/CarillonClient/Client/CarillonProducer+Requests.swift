import Codes
public import Wire

extension CarillonProducer {
    private func unexpected(_ message: NodeMessage) -> Refusal {
        Refusal(Fault(.malformed, "the node answered with another message than asked for"))
    }

    /// Waits until a node has let us in and answers; returns the milliseconds of its clock since 1970. Fails with
    /// `connection-refused` or `no-answer` in bounded time.
    @discardableResult
    public func ping() async throws(Refusal) -> Int64 {
        let answer = try await ask { .ping(sequence: $0) }
        guard case .pong(_, let now) = answer else { throw unexpected(answer) }
        return now
    }

    /// The most recent message of a key: what a backend puts into a new activity as its first state.
    public func get(_ target: Target) async throws(Refusal) -> RecordState {
        let answer = try await ask { .get(Get(sequence: $0, target: target)) }
        guard case .state(let state) = answer else { throw unexpected(answer) }
        return state
    }

    /// What became of an event, one of the last 16 of its key.
    public func status(_ target: Target, id: EventID) async throws(Refusal) -> EventReport {
        let answer = try await ask { .status(StatusQuery(sequence: $0, target: target, id: id)) }
        guard case .outcome(_, let report) = answer else { throw unexpected(answer) }
        return report
    }

    /// Lets a token follow an activity; repeating it changes nothing.
    @discardableResult
    public func register(_ registration: Registration) async throws(Refusal) -> Registered {
        let answer = try await ask { sequence in
            var registration = registration
            registration.sequence = sequence
            return .register(registration)
        }
        guard case .registered(let registered) = answer else { throw unexpected(answer) }
        return registered
    }

    /// Takes a token off an activity; repeating it changes nothing.
    @discardableResult
    public func unregister(_ registration: Registration) async throws(Refusal) -> Registered {
        let answer = try await ask { sequence in
            var registration = registration
            registration.sequence = sequence
            return .unregister(registration)
        }
        guard case .registered(let registered) = answer else { throw unexpected(answer) }
        return registered
    }

    /// Who follows an activity, and on which devices it was started.
    public func activity(_ target: Target) async throws(Refusal) -> ActivityReport {
        let answer = try await ask { .activity(ActivityQuery(sequence: $0, target: target)) }
        guard case .activity(let report) = answer else { throw unexpected(answer) }
        return report
    }

    /// Creates, deletes, lists or shows channels.
    public func channel(_ request: ChannelRequest) async throws(Refusal) -> ChannelsAnswer {
        let answer = try await ask { sequence in
            var request = request
            request.sequence = sequence
            return .channel(request)
        }
        guard case .channel(let channels) = answer else { throw unexpected(answer) }
        return channels
    }

    /// All channels of an app, in the order of their names' bytes.
    public func channels(app: String) async throws(Refusal) -> [ChannelDescription] {
        var all: [ChannelDescription] = []
        while true {
            let page = try await channel(
                ChannelRequest(action: .list, app: app, after: all.last?.channel ?? ""))
            all += page.channels
            guard page.more, !page.channels.isEmpty else { return all }
        }
    }

    /// The node's status document, a JSON object. Needs a certificate with the role admin.
    public func nodeStatus() async throws(Refusal) -> [UInt8] { try await document(.status) }

    /// A document about the node that answers, a JSON object (Docs/Protocol/Producer.md, `node-status`). Needs a
    /// certificate with the role admin.
    public func document(_ subject: DocumentQuery.Subject) async throws(Refusal) -> [UInt8] {
        let answer = try await ask { .nodeStatus(DocumentQuery(sequence: $0, subject)) }
        guard case .nodeStatus(_, let document) = answer else { throw unexpected(answer) }
        return document
    }

    /// Accepts that what the missing copies of a stuck shard had is lost; nil: of all that are stuck. Returns a JSON
    /// object that names those for which it counts (Docs/Protocol/Producer.md, `shard-recover`). Needs a certificate
    /// with the role admin.
    public func acceptLoss(ofShard shard: UInt16?) async throws(Refusal) -> [UInt8] {
        let answer = try await ask { .recover(ShardRecovery(sequence: $0, shard: shard)) }
        guard case .nodeStatus(_, let document) = answer else { throw unexpected(answer) }
        return document
    }
}
