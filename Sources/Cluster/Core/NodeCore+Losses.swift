import Codes
public import Delivery

/// Shards that are stuck, and the operator's word that sets them free.
extension NodeCore {
    /// The shards that nobody can serve at the moment; empty on a node that does not coordinate.
    public func stuckShards(now: Moment) -> [StuckShard] {
        guard coordinatesTerm != nil, let coordinator, let membership else { return [] }
        return coordinator.stuckShards(state: state, view: membership.rows, now: now)
    }

    mutating func acceptLoss(
        of shards: Set<UInt16>?, for origin: UInt64, now: Moment, into effects: inout [NodeEffect]
    ) {
        guard coordinatesTerm != nil, let membership else { return effects.append(ChannelDesk.moved(origin)) }
        let stuck =
            coordinator?.acceptLoss(of: shards, state: state, view: membership.rows, now: now) ?? []
        effects.append(.reply(origin: origin, .lossAccepted(stuck)))
        if !stuck.isEmpty { effects.append(.clusterNotice(.lossAccepted(shards: stuck.map(\.shard)))) }
    }
}
