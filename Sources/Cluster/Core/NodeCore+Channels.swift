import Codes
import Delivery
import Wire

/// Channels: the coordinator makes and removes them, every node sends to them.
extension NodeCore {
    mutating func channel(_ request: ChannelInput, now: Moment, into effects: inout [NodeEffect]) {
        guard coordinatesTerm != nil, channels.handle(request, now: now) else {
            if let origin = request.origin { effects.append(ChannelDesk.moved(origin)) }
            return
        }
        carryOutChannels(now: now, into: &effects)
    }

    mutating func carryOutChannels(now: Moment, into effects: inout [NodeEffect]) {
        for effect in channels.takeWanted() {
            switch effect {
            case .write(let key, let value): propose(key, value, now: now, into: &effects)
            case .manage(let intent, let app, let operation):
                channels.after(
                    .manage(intent: intent, app: app, operation), applied: consensus?.applied ?? 0, into: &effects)
            case .answer(let origin, let reply):
                channels.after(
                    .reply(origin: origin, reply), applied: consensus?.applied ?? 0, into: &effects)
            case .changed: break
            case .notice(let notice): effects.append(.notice(notice))
            }
        }
    }

    private mutating func propose(
        _ key: Key, _ value: [UInt8]?, now: Moment, into effects: inout [NodeEffect]
    ) {
        let command = ClusterCommand.channel(key: Array(key.nameBytes), value: value)
        let index = consensus?.propose(
            ClusterCommand.encode([command]), now: now.bootMilliseconds, into: &consensusEffects)
        guard let index else {
            // Without the row nothing may follow: begin again from what the log has.
            channels.stepDown(into: &effects)
            channels.lead(state.channels, appIndex: owner.appIndex)
            return
        }
        channels.proposed(index)
    }

    /// The owner learns what the log says of a channel.
    mutating func showChannel(_ name: [UInt8], now: Moment, into effects: inout [NodeEffect]) {
        guard let key = Key(bytes: name + Key.firstInstance), let app = owner.appIndex[key.app] else { return }
        let entry = state.channels[name].flatMap { ChannelEntry(row: $0, app: app) }
        handOver(.channelChanged(key: key, entry), now: now, into: &effects)
    }
}

extension ChannelInput {
    /// Who waits for an answer.
    var origin: UInt64? {
        switch self {
        case .create(let origin, _, _, _), .delete(let origin, _, _), .list(let origin, _): origin
        case .answered, .lost: nil
        }
    }
}
