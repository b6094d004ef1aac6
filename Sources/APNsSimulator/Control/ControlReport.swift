internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// Answers of the control socket as JSON.
enum ControlReport {
    typealias Member = JSONValue.Member

    static func state(_ report: StateReport) -> [Member] {
        [
            Member("devices", .integer(Int64(report.devices))),
            Member("devices_online", .integer(Int64(report.devicesOnline))),
            Member("activities", .integer(Int64(report.activities))),
            Member("tokens", .integer(Int64(report.tokens))),
            Member("connections", .integer(Int64(report.connections))),
            Member("under_way", .integer(Int64(report.underWay))),
            Member("channel_count", .integer(Int64(report.channelCount))),
            Member("counters", .object(counters(report.counters))),
            Member("channels", .array(report.channels.map { .object(channel($0)) })),
            Member("tokens_by_app", .array(report.tokensByApp.map { .object(tokens($0)) })),
        ]
    }

    static func counters(_ counters: Counters) -> [Member] {
        let numbers: [(String, Int)] = [
            ("requests", counters.requests), ("accepted", counters.accepted), ("refused", counters.refusedTotal),
            ("unanswered", counters.unanswered), ("unprocessed", counters.unprocessed), ("resets", counters.resets),
            ("accepted_twice", counters.acceptedTwice), ("delivered", counters.delivered),
            ("shown", counters.shown), ("rings", counters.rings), ("went_back", counters.wentBack),
            ("rang_twice", counters.rangTwice), ("decode_failures", counters.decodeFailures),
            ("unreadable", counters.unreadable), ("updates_after_end", counters.updatesAfterEnd),
            ("ends_after_end", counters.endsAfterEnd), ("ignored_older", counters.ignoredOlder),
            ("ignored_too_old", counters.ignoredTooOld), ("missed_offline", counters.missedOffline),
            ("stored_overwritten", counters.storedOverwritten), ("stored_expired", counters.storedExpired),
            ("lost", counters.lost), ("starts_dropped", counters.startsDropped), ("started", counters.started),
            ("go_aways", counters.goAways),
        ]
        let reasons = counters.refused.map { Member($0.key.rawValue, .integer(Int64($0.value))) }
        return numbers.map { Member($0.0, .integer(Int64($0.1))) } + [
            Member("refused_by_reason", .object(reasons.sorted { $0.name < $1.name }))
        ]
    }

    static func channel(_ report: ChannelReport) -> [Member] {
        [
            Member("id", .string(report.id)), Member("app", .string(report.bundleID)),
            Member("policy", .integer(Int64(report.policy.rawValue))),
            Member("accepted", .integer(Int64(report.accepted))),
            Member("newest_stamp", report.newestStampSeconds.map { .integer($0) } ?? .null),
            Member("ended", .bool(report.hasEnded)), Member("stores", .bool(report.isStoring)),
            Member("shown", .object(shown(report.shown))),
        ]
    }

    private static func tokens(_ report: TokensReport) -> [Member] {
        [
            Member("app", .string(report.bundleID)),
            Member("activity_tokens", .integer(Int64(report.activityTokens))),
            Member("accepted", .integer(Int64(report.accepted))), Member("shown", .object(shown(report.shown))),
        ]
    }

    private static func shown(_ states: ShownStates) -> [Member] {
        [
            Member("online", .integer(Int64(states.online))), Member("offline", .integer(Int64(states.offline))),
            Member("ended", .integer(Int64(states.ended))),
            Member("current_online", .integer(Int64(states.currentOnline))),
            Member("newest_state", state(states.newestState)),
            Member(
                "groups",
                .array(
                    states.groups.map { group in
                        .object([
                            Member("stamp", group.stampSeconds.map { .integer($0) } ?? .null),
                            Member("online", .integer(Int64(group.online))),
                            Member("offline", .integer(Int64(group.offline))),
                            Member("ended", .integer(Int64(group.ended))),
                        ])
                    })),
            Member("others", .integer(Int64(states.others))),
        ]
    }

    static func device(_ index: Int, _ device: Device, _ activities: [ActivityReport]) -> [Member] {
        [
            Member("device", .integer(Int64(index))), Member("online", .bool(device.isOnline)),
            Member("banners", .integer(Int64(device.banners))),
            Member("activities", .array(activities.map { .object(activity($0)) })),
        ]
    }

    private static func activity(_ report: ActivityReport) -> [Member] {
        [
            Member("activity", .integer(Int64(report.index))), Member("app", .string(report.bundleID)),
            Member("channel", report.channelID.map { .string($0) } ?? .null),
            Member("ended", .bool(report.hasEnded)),
            Member("stamp", report.stampSeconds.map { .integer($0) } ?? .null),
            Member("shown_at_ms", .integer(report.shownAtMilliseconds)), Member("state", state(report.state)),
            Member("rings", .integer(Int64(report.rings))), Member("rang_twice", .integer(Int64(report.rangTwice))),
            Member("went_back", .integer(Int64(report.wentBack))),
            Member("decode_failures", .integer(Int64(report.decodeFailures))),
            Member(
                "history",
                .array(
                    report.history.map { showing in
                        .object([
                            Member("stamp", .integer(showing.stampSeconds)),
                            Member("at_ms", .integer(showing.atMilliseconds)),
                            Member("event", .string(showing.event.name)),
                        ])
                    })),
        ]
    }

    static func condition(_ state: ConditionState) -> [Member] {
        [
            Member("fulfilled", .integer(Int64(state.fulfilled))), Member("total", .integer(Int64(state.total))),
        ]
    }

    static func faults(_ faults: Faults, _ delay: Int64) -> [Member] {
        [
            Member("unanswered_one_in", .integer(Int64(faults.unansweredOneIn))),
            Member("refused_one_in", .integer(Int64(faults.refusedOneIn))),
            Member("cut_after", .integer(Int64(faults.cutAfter))),
            Member("streams", faults.streams.map { .integer(Int64($0)) } ?? .null),
            Member("goaway_after", .integer(Int64(faults.goAwayAfter))),
            Member("goaway_lag", .integer(Int64(faults.goAwayLag))),
            Member("burst", .integer(Int64(faults.burstRemaining))),
            Member("burst_reason", .string(faults.burstReason.rawValue)),
            Member("reorder_ms", .integer(faults.reorderMilliseconds)),
            Member("lost_one_in", .integer(Int64(faults.lostOneIn))), Member("delay_ms", .integer(delay)),
            Member("sabotage", .string(faults.sabotage?.rawValue ?? "none")),
        ]
    }

    static func rules(_ rules: Rules) -> [Member] {
        CountRule.allCases.map { Member($0.rawValue, .integer(Int64($0.value(in: rules)))) }
            + SwitchRule.allCases.map { Member($0.rawValue, .bool($0.value(in: rules))) }
    }

    /// A content state as JSON; it was readable when it was accepted.
    private static func state(_ bytes: [UInt8]) -> JSONValue {
        bytes.isEmpty ? .null : (try? JSONValue(parsing: bytes.span)) ?? .null
    }
}

extension JSONValue {
    /// An answer that says yes, with its particulars.
    static func success(_ members: [Member]) -> JSONValue { .object([Member("ok", .bool(true))] + members) }

    /// An answer that says no.
    static func failure(_ fault: Fault) -> JSONValue {
        .object([
            Member("ok", .bool(false)), Member("code", .string(fault.code.id)),
            Member("detail", .string(fault.detail)), Member("place", .string(fault.place)),
        ])
    }
}
