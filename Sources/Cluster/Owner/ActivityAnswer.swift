import Codes
public import Delivery
public import LiveActivity
public import Wire

/// Who follows an activity, and where it was started.
public struct ActivityAnswer: Hashable, Sendable {
    /// Most tokens and most starts in one answer.
    public static let entriesMax = 100

    /// App and name with the newest instance.
    public var key: Key
    /// The newest event; nil before the first.
    public var event: EventKind?
    /// How many tokens follow the newest instance.
    public var tokenCount: Int
    /// Those tokens, those in quarantine, and those of the devices in `starts`.
    public var tokens: [ActivityToken]
    /// The devices on which it was to be started, oldest first.
    public var starts: [ActivityStart]
}

/// A token and whose it is.
public struct ActivityToken: Hashable, Sendable {
    /// The token with its kind; to be shown only in part.
    public var destination: Destination
    /// What a push-to-start token starts.
    public var attributesType: [UInt8]
    /// Whose it is.
    public var name: DeviceName
    /// In milliseconds since 1970.
    public var registeredAtMilliseconds: Int64
    /// It has not yet had the state that it was to get when it registered.
    public var isBehind: Bool
    /// Why it is in quarantine; nil when it is in use.
    public var fault: TokenFault?
}

/// The start of an activity on a device.
public struct ActivityStart: Hashable, Sendable {
    /// The device.
    public var name: DeviceName
    /// Which instance.
    public var instance: UInt32
    /// Where it stands.
    public var state: StartState
    /// Since when, in milliseconds since 1970.
    public var sinceMilliseconds: Int64
    /// Why it failed; empty otherwise.
    public var reason: String
}

extension OwnerCore {
    mutating func showActivity(_ origin: UInt64, _ key: Key, into effects: inout [CoreEffect]) {
        guard let slot = index[key.base], key.kind == .activity else {
            return refuseUnknown(origin, key, into: &effects)
        }
        let instance = slots[slot].instance
        let group = slots[slot].groups.first { $0.instance == instance }
        let answer = ActivityAnswer(
            key: slots[slot].instanceKey, event: slots[slot].record?.event,
            tokenCount: group?.destinations.count ?? 0,
            tokens: Array(views(slot, group).prefix(ActivityAnswer.entriesMax)),
            starts: (starts[slot] ?? []).suffix(ActivityAnswer.entriesMax).map {
                ActivityStart(
                    name: $0.name, instance: $0.instance, state: $0.state, sinceMilliseconds: $0.sinceMilliseconds,
                    reason: $0.reason)
            })
        answerAfterWrites(slots[slot].shard, origin, .activity(answer), into: &effects)
    }

    /// Those in quarantine first: they are why somebody asks.
    private func views(_ slot: Int, _ group: AudienceGroup?) -> [ActivityToken] {
        let app = slots[slot].account.app
        var views = (quarantinedBySlot[slot] ?? []).prefix(ActivityAnswer.entriesMax).compactMap { destination in
            quarantined[destination].map { view(destination, $0.row, app) }
        }
        for start in (starts[slot] ?? []).suffix(ActivityAnswer.entriesMax) {
            views += deviceTable.tokens(of: start.name).map { token in
                ActivityToken(
                    destination: token.destination, attributesType: token.attributesType, name: start.name,
                    registeredAtMilliseconds: token.registeredAtMilliseconds, isBehind: false, fault: token.fault)
            }
        }
        return views
            + (group?.destinations ?? []).prefix(ActivityAnswer.entriesMax).compactMap { destination in
                tokens[destination].map { entry in
                    ActivityToken(
                        destination: destination, attributesType: [],
                        name: DeviceName(app: app, user: entry.user, device: entry.device),
                        registeredAtMilliseconds: entry.registeredAtMilliseconds, isBehind: entry.isBehind, fault: nil)
                }
            }
    }

    private func view(_ destination: Destination, _ row: TokenRow, _ app: UInt16) -> ActivityToken {
        ActivityToken(
            destination: destination, attributesType: [],
            name: DeviceName(app: app, user: row.user, device: row.device),
            registeredAtMilliseconds: row.registeredAtMilliseconds, isBehind: false, fault: row.fault)
    }
}
