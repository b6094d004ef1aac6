import Codes
import LiveActivity
import Testing
import Wire

extension Samples {
    static func key(_ kind: Key.Kind = .channel) throws -> Key { try target(kind).key(newest: 1) }

    static func node() throws -> [Sample<NodeMessage>] {
        try answers() + tokenAnswers() + refusals() + unasked()
    }

    private static func tokenAnswers() throws -> [Sample<NodeMessage>] {
        [
            Sample(
                name: "ack-both",
                meaning: "A channel and an activity have taken the event; the activity had it before.",
                message: .ack(
                    Ack(
                        sequence: 2, instance: 1, epoch: 1, version: 42, copies: 1,
                        activity: Ack.Half(instance: 3, epoch: 1, version: 7, repeated: true)))),
            Sample(
                name: "activity-answer", meaning: "A token in quarantine, one that follows, and a start that waits.",
                message: .activity(
                    ActivityReport(
                        sequence: 5, key: try key(.activity), state: "live", event: "update", tokenCount: 1,
                        tokens: [
                            TokenView(
                                kind: .update, token: "00fc…20", user: "u-17", device: "phone",
                                registeredAtMilliseconds: 1_716_739_260_123, quarantine: "wrong-environment"),
                            TokenView(
                                kind: .start, token: "80c1…d0", attributesType: "Score", device: "tablet",
                                registeredAtMilliseconds: 1_716_739_260_124, isBehind: true),
                        ],
                        starts: [
                            StartView(
                                user: "u-17", device: "phone", instance: 1, state: "pending",
                                sinceMilliseconds: 1_716_739_260_125, reason: "none")
                        ]))),
        ]
    }

    private static func answers() throws -> [Sample<NodeMessage>] {
        [
            Sample(
                name: "ready", meaning: "The session is open; 1000 publishes may be unanswered.",
                message: .ready(
                    Ready(
                        sequence: 1, node: "n1", software: "carillon/0.1.0",
                        cluster: "6f1c2a34-9be1-4a44-8f6e-0f7f6f1d2c3b", producer: "scores", credit: 1000))),
            Sample(
                name: "ack", meaning: "The event is on one disk as version 42.",
                message: .ack(Ack(sequence: 2, instance: 1, epoch: 1, version: 42, copies: 1))),
            Sample(
                name: "ack-repeated", meaning: "The event ID was known; nothing was stored again.",
                message: .ack(Ack(sequence: 2, instance: 1, epoch: 1, version: 42, copies: 1, repeated: true))),
            Sample(
                name: "state", meaning: "The most recent message of a channel.",
                message: .state(
                    RecordState(
                        sequence: 3, key: try key(), id: try id(), epoch: 1, version: 42,
                        stampSeconds: 1_716_739_260, event: .update, important: false, revision: 7,
                        storedAtMilliseconds: 1_716_739_260_123, outcome: .apnsAccepted, payload: payload))),
            Sample(
                name: "outcome", meaning: "What became of an event with 150 tokens.",
                message: .outcome(sequence: 4, try report(.failed, reason: "BadDeviceToken"))),
            Sample(
                name: "registered", meaning: "The token is on disk.",
                message: .registered(Registered(sequence: 8, instance: 1, tokens: 150, changed: true))),
            Sample(
                name: "channel-answer", meaning: "The channel and Apple's name for it.",
                message: .channel(
                    ChannelsAnswer(
                        sequence: 5, action: .create, app: "cricket",
                        channels: [
                            ChannelDescription(
                                channel: "match/ipl-2024-final", state: .active, channelID: "dHN0LXNyY2gtY2hubA==",
                                storage: .newest, instance: 1, createdAtMilliseconds: 1_716_739_100_000)
                        ], more: true))),
            Sample(
                name: "pong", meaning: "The node is there.",
                message: .pong(sequence: 10, nowMilliseconds: 1_716_739_260_500)),
            Sample(name: "bye-answer", meaning: "Everything before is answered.", message: .bye(sequence: 11)),
            Sample(
                name: "node-status-answer", meaning: "The status document.",
                message: .nodeStatus(sequence: 12, document: Array(#"{"node":"n1"}"#.utf8))),
        ]
    }

    private static func refusals() throws -> [Sample<NodeMessage>] {
        [
            Sample(
                name: "nack-overloaded", meaning: "No room; try again in a quarter of a second.",
                message: .nack(Nack(.overloaded, sequence: 2, retryMilliseconds: 250))),
            Sample(
                name: "nack-lint", meaning: "The payload has a mistake.",
                message: .nack(
                    Nack(
                        .lintFailed, sequence: 2,
                        findings: [
                            WireFinding(
                                rule: "timestamp-milliseconds", severity: .error, path: "aps.timestamp",
                                text: "1716739260123 is in milliseconds", line: 1, column: 21)
                        ]))),
            Sample(
                name: "nack-unsupported", meaning: "Frame 0 was CRL2.",
                message: .nack(Nack(WireFault(.unsupportedVersion, "this node speaks CRL1")))),
        ]
    }

    private static func unasked() throws -> [Sample<NodeMessage>] {
        [
            Sample(
                name: "receipt", meaning: "APNs has accepted the event.",
                message: .receipt(try report(.apnsAccepted, kind: .channel))),
            Sample(name: "credit", meaning: "From now on 200 may be unanswered.", message: .credit(200)),
            Sample(
                name: "goaway", meaning: "The node stops in five seconds.",
                message: .goAway(
                    GoAway(reason: "draining", endpoints: ["tcp://10.0.0.2:7400"], afterMilliseconds: 5000))),
        ]
    }

    private static func report(
        _ outcome: Outcome, reason: String = "", kind: Key.Kind = .activity
    ) throws -> EventReport {
        var counts = EventReport.Counts()
        counts.destinations = kind == .activity ? 150 : 1
        counts.reached = kind == .activity ? 148 : 1
        counts.failed = kind == .activity ? 2 : 0
        return EventReport(
            key: try key(kind), id: try id(), outcome: outcome, reason: reason,
            atMilliseconds: 1_716_739_260_400, counts: counts)
    }
}
