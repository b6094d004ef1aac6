import Codes
import LiveActivity
import Testing
import Wire

/// One message of each command with its meaning in words: the source of the golden vectors.
struct Sample<Message> {
    let name: String
    let meaning: String
    let message: Message
}

enum Samples {
    static let payload = Array(#"{"aps":{"event":"update","content-state":{"score":"114/2"}}}"#.utf8)

    static func target(_ kind: Key.Kind = .channel, instance: UInt32? = nil) throws -> Target {
        try #require(
            Target(
                app: "cricket", kind: kind, name: kind == .channel ? "match/ipl-2024-final" : "order/4711",
                instance: instance))
    }

    static func id(_ text: String = "ball-10.3") throws -> EventID { try #require(EventID(text)) }

    static func registration() throws -> Registration {
        Registration(
            sequence: 8, target: try target(.activity),
            token: try #require(PushToken("00FC13ADff785122b4ad28809a3420")),
            user: "u-17", device: "phone")
    }

    static func producer() throws -> [Sample<ProducerMessage>] {
        try requests() + controls()
    }

    private static func requests() throws -> [Sample<ProducerMessage>] {
        try [
            Sample(
                name: "publish", meaning: "An update of the newest instance of a channel, as short as can be.",
                message: .publish(Publish(sequence: 2, target: try target(), id: try id(), payload: payload))),
            Sample(
                name: "publish-full", meaning: "A publish with every member.",
                message: .publish(
                    Publish(
                        sequence: 9_007_199_254_740_991, target: try target(.activity, instance: 3),
                        id: try id("größe \"7\""), payload: payload, event: .end, important: true, priority: 10,
                        revision: -12, notBeforeMilliseconds: 1_716_739_200_000,
                        expiresAtMilliseconds: 1_716_739_500_000, receipts: true))),
            Sample(
                name: "get", meaning: "Asks for the most recent message of a channel.",
                message: .get(Get(sequence: 3, target: try target()))),
            Sample(
                name: "status", meaning: "Asks what became of an event of instance 1.",
                message: .status(StatusQuery(sequence: 4, target: try target(instance: 1), id: try id()))),
            Sample(
                name: "register", meaning: "A device follows an activity with its update token.",
                message: .register(try registration())),
            Sample(
                name: "unregister", meaning: "It does so no more.", message: .unregister(try registration())),
        ] + tokens()
    }

    static func both(_ sequence: Int64 = 2) throws -> Publish {
        Publish(
            sequence: sequence, target: try target(), id: try id(), payload: payload, activity: try target(.activity))
    }

    static func startRegistration() throws -> Registration {
        Registration(
            sequence: 9, app: "cricket", startToken: try #require(PushToken("80c1e4d0")), attributesType: "Score",
            user: "u-17", device: "phone")
    }

    private static func tokens() throws -> [Sample<ProducerMessage>] {
        var dismissed = try registration()
        dismissed.reason = .dismissed
        return [
            Sample(
                name: "publish-both", meaning: "One event for a channel and an activity.",
                message: .publish(try both())),
            Sample(
                name: "publish-start", meaning: "Starts an activity on every device of a user.",
                message: .publish(
                    Publish(
                        sequence: 7, target: try target(.activity), id: try id(),
                        payload: Array(#"{"aps":{"event":"start"}}"#.utf8), event: .start, user: "u-17",
                        device: "phone", fallback: true))),
            Sample(
                name: "register-start", meaning: "The push-to-start token of a device.",
                message: .register(try startRegistration())),
            Sample(
                name: "register-ordinary", meaning: "The token of a device for ordinary notifications.",
                message: .register(
                    Registration(
                        sequence: 10, app: "cricket", ordinaryToken: try #require(PushToken("77bb")),
                        device: "phone"))),
            Sample(
                name: "unregister-dismissed", meaning: "The user took the activity off the screen.",
                message: .unregister(dismissed)),
            Sample(
                name: "batch", meaning: "An event and a token in one message; each is answered by itself.",
                message: .batch(
                    Batch(sequence: 1, items: [.publish(try both()), .register(try startRegistration())]))),
            Sample(
                name: "activity", meaning: "Asks who follows an activity.",
                message: .activity(ActivityQuery(sequence: 5, target: try target(.activity)))),
        ]
    }

    private static func controls() throws -> [Sample<ProducerMessage>] {
        [
            Sample(
                name: "hello", meaning: "Opens a session.",
                message: .hello(Hello(sequence: 1, client: "scores/1.4", capabilities: ["x-example"]))),
            Sample(
                name: "channel-create", meaning: "Asks for a channel that keeps the newest message.",
                message: .channel(
                    ChannelRequest(
                        sequence: 5, action: .create, app: "cricket", channel: "match/ipl-2024-final",
                        storage: .newest))),
            Sample(
                name: "channel-list", meaning: "Lists at most 100 channels after a name.",
                message: .channel(
                    ChannelRequest(sequence: 6, action: .list, app: "cricket", after: "match/a", limit: 100))),
            Sample(name: "ping", meaning: "Asks whether the node is there.", message: .ping(sequence: 10)),
            Sample(name: "bye", meaning: "Closes the session.", message: .bye(sequence: 11)),
            Sample(
                name: "node-status", meaning: "Admin: asks for the status document.",
                message: .nodeStatus(DocumentQuery(sequence: 12))),
            Sample(
                name: "node-status-shards", meaning: "Admin: asks who keeps which shard, and where a key lies.",
                message: .nodeStatus(DocumentQuery(sequence: 12, .shards(of: try target())))),
            Sample(
                name: "node-status-trace", meaning: "Admin: asks for the way of an event.",
                message: .nodeStatus(DocumentQuery(sequence: 12, .trace(try id())))),
            Sample(
                name: "shard-recover", meaning: "Admin: accepts that what the missing copies of a shard had is lost.",
                message: .recover(ShardRecovery(sequence: 13, shard: 17))),
            Sample(
                name: "shard-recover-all", meaning: "Admin: accepts that for every shard that is stuck.",
                message: .recover(ShardRecovery(sequence: 14, shard: nil))),
        ]
    }
}
