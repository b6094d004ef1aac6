internal import LiveActivity
internal import SimulatedAPNs

/// A rule that is a number; 0 is "none" or "never" where that makes sense (Docs/Simulator.md).
public enum CountRule: String, Sendable, Hashable, CaseIterable {
    case streamsMax = "streams_max"
    case streamsAtFirst = "streams_at_first"
    case tokenUpdate = "token_update_ms"
    case pushBurst = "push_burst"
    case pushRefill = "push_refill_ms"
    case manageBurst = "manage_burst"
    case idle = "idle_ms"
    case errorsMax = "errors_max"

    func value(in rules: Rules) -> Int {
        switch self {
        case .streamsMax: rules.streamsMax
        case .streamsAtFirst: rules.streamsAtFirst
        case .tokenUpdate: Int(rules.tokenUpdateMilliseconds)
        case .pushBurst: rules.pushBurst ?? 0
        case .pushRefill: Int(rules.pushRefillMilliseconds)
        case .manageBurst: rules.manageBurst ?? 0
        case .idle: Int(rules.idleMilliseconds ?? 0)
        case .errorsMax: rules.errorsMax ?? 0
        }
    }

    func set(_ count: Int, in rules: inout Rules) {
        let positive = count == 0 ? nil : count
        switch self {
        case .streamsMax: rules.streamsMax = count
        case .streamsAtFirst: rules.streamsAtFirst = count
        case .tokenUpdate: rules.tokenUpdateMilliseconds = Int64(count)
        case .pushBurst: rules.pushBurst = positive
        case .pushRefill: rules.pushRefillMilliseconds = Int64(count)
        case .manageBurst: rules.manageBurst = positive
        case .idle: rules.idleMilliseconds = positive.map(Int64.init)
        case .errorsMax: rules.errorsMax = positive
        }
    }
}

/// A rule that holds or not (Docs/Simulator.md).
public enum SwitchRule: String, Sendable, Hashable, CaseIterable {
    case idleIsAnswered = "idle_is_answered"
    case acceptsUnknownTokens = "accepts_unknown_tokens"
    case errorsShrinkStreams = "errors_shrink_streams"
    case certificateTroubleIsGoAway = "certificate_trouble_is_goaway"
    case refusesIncompleteBroadcasts = "refuses_incomplete_broadcasts"
    case refusesUnreadableBodies = "refuses_unreadable_bodies"
    case endedTokensAreUnregistered = "ended_tokens_are_unregistered"
    case lateJoinersGetStoredMessage = "late_joiners_get_stored_message"

    private var path: WritableKeyPath<Rules, Bool> {
        switch self {
        case .idleIsAnswered: \.idleIsAnswered
        case .acceptsUnknownTokens: \.acceptsUnknownTokens
        case .errorsShrinkStreams: \.readings.errorsShrinkStreams
        case .certificateTroubleIsGoAway: \.readings.certificateTroubleIsGoAway
        case .refusesIncompleteBroadcasts: \.readings.refusesIncompleteBroadcasts
        case .refusesUnreadableBodies: \.readings.refusesUnreadableBodies
        case .endedTokensAreUnregistered: \.readings.endedTokensAreUnregistered
        case .lateJoinersGetStoredMessage: \.readings.lateJoinersGetStoredMessage
        }
    }

    func value(in rules: Rules) -> Bool { rules[keyPath: path] }

    func set(_ isOn: Bool, in rules: inout Rules) { rules[keyPath: path] = isOn }
}

/// One rule to be changed by `SimulatorControl.setRules`.
public enum RuleSetting: Sendable, Hashable {
    /// Everything as the simulator was started; put it first.
    case clear
    /// A number, 0 to 10^9.
    case count(CountRule, Int)
    /// On or off.
    case isOn(SwitchRule, Bool)

    var member: JSONValue.Member {
        switch self {
        case .clear: JSONValue.Member("clear", .bool(true))
        case .count(let rule, let count): JSONValue.Member(rule.rawValue, .integer(Int64(count)))
        case .isOn(let rule, let isOn): JSONValue.Member(rule.rawValue, .bool(isOn))
        }
    }
}
