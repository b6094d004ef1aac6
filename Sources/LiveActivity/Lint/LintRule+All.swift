import Codes

extension LintRule {
    private static func update(_ rest: String, stamp: String = "1790000000") -> String {
        #"{"aps":{"timestamp":\#(stamp),"event":"update",\#(rest)}}"#
    }

    private static func start(_ rest: String) -> String {
        #"{"aps":{"timestamp":1790000000,"event":"start","content-state":{"homeScore":0,"phase":"live"},\#(rest)}}"#
    }

    private static let state = #""content-state":{"homeScore":1,"phase":"live"}"#
    private static let attributes = #""attributes-type":"MatchAttributes","attributes":{"matchID":"7"}"#
    private static let alert = #""alert":{"title":"Kick-off"}"#

    /// Every rule, in the order of the codes.
    public static let all: [LintRule] =
        body + aps + timestamp + contentState + schema + alerts + dates + inputPush
        + headers

    private static let body = [
        LintRule(.bodyEmpty, .error, ""),
        LintRule(.bodyNotUTF8, .error, "{\"aps\":\"\u{FF}\"}"),
        LintRule(.bodyNotJSON, .error, #"{"aps":{"event":"update""#),
        LintRule(.bodyNotObject, .error, "[]"),
        LintRule(.bodyDuplicateKey, .error, #"{"aps":{"event":"update","event":"end"}}"#),
        LintRule(.bodyCompressed, .error, "\u{78}\u{5E}…"),
        LintRule(.bodyTooLarge, .error, "…"),
        LintRule(.bodyTooDeep, .error, #"{"a":"# + String(repeating: "[", count: 33)),
        LintRule(.bodyTooManyKeys, .error, "…"),
    ]

    private static let aps = [
        LintRule(.apsMissing, .error, #"{"event":"update"}"#),
        LintRule(.apsUnknownKey, .warning, update(state + #","traceId":"a1""#)),
        LintRule(.eventMissing, .error, #"{"aps":{"timestamp":1790000000,\#(state)}}"#),
        LintRule(.eventUnknown, .error, #"{"aps":{"timestamp":1790000000,"event":"refresh",\#(state)}}"#),
        LintRule(.eventStartOnBroadcast, .error, start(attributes + "," + alert), kind: .broadcast),
        LintRule(.eventKindMismatch, .error, update(state), kind: .start),
    ]

    private static let timestamp = [
        LintRule(.timestampMissing, .error, #"{"aps":{"event":"update",\#(state)}}"#),
        LintRule(.timestampType, .error, update(state, stamp: #""1790000000""#)),
        LintRule(.timestampMilliseconds, .error, update(state, stamp: "1790000000000")),
        LintRule(.timestampMisplaced, .error, #"{"timestamp":1790000000,"aps":{"event":"update",\#(state)}}"#),
        LintRule(.timestampFuture, .warning, update(state, stamp: "1790003600")),
        LintRule(
            .timestampNotNewer, .error, update(state),
            need: .history(SentHistory(lastTimestampSeconds: 1_790_000_000))),
    ]

    private static let contentState = [
        LintRule(.contentStateMissing, .error, #"{"aps":{"timestamp":1790000000,"event":"update"}}"#),
        LintRule(.contentStateType, .error, update(#""content-state":"{\"homeScore\":1}""#)),
        LintRule(.contentStateMissingOnEnd, .info, #"{"aps":{"timestamp":1790000000,"event":"end"}}"#),
        LintRule(
            .contentStateTooLarge, .warning, update(state), need: .history(SentHistory(attributesBytes: 4096))),
        LintRule(
            .attributesTypeMissing, .error, start(#""attributes":{"matchID":"7"},\#(alert)"#), kind: .start),
        LintRule(
            .attributesMissing, .error, start(#""attributes-type":"MatchAttributes",\#(alert)"#), kind: .start),
        LintRule(
            .attributesTypeUnknown, .error,
            start(#""attributes-type":"matchAttributes","attributes":{"matchID":"7"},\#(alert)"#), kind: .start,
            need: .schema),
        LintRule(.attributesOnUpdate, .warning, update(state + "," + attributes)),
    ]

    private static let schema = [
        LintRule(
            .schemaMissingKey, .error, update(#""content-state":{"home_score":1,"phase":"live"}"#), need: .schema),
        LintRule(.schemaType, .error, update(#""content-state":{"homeScore":"1","phase":"live"}"#), need: .schema),
        LintRule(.schemaEnum, .error, update(#""content-state":{"homeScore":1,"phase":"Live"}"#), need: .schema),
        LintRule(
            .schemaDateString, .error,
            update(#""content-state":{"homeScore":1,"phase":"live","kickOff":"2026-09-21T14:13:20Z"}"#),
            need: .schema),
        LintRule(
            .schemaDateEpoch, .error,
            update(#""content-state":{"homeScore":1,"phase":"live","kickOff":1790000000}"#), need: .schema),
    ]

    private static let alerts = [
        LintRule(.alertMissingOnStart, .error, start(attributes), kind: .start),
        LintRule(.alertType, .error, update(state + #","alert":"Goal""#)),
        LintRule(.alertFlatLoc, .error, update(state + #","alert":{"title-loc-key":"GOAL"}"#)),
        LintRule(.alertLocShape, .error, update(state + #","alert":{"title":{"loc-args":["1"]}}"#)),
        LintRule(.soundOutsideAlert, .warning, update(state + #","sound":"default""#)),
    ]

    private static let dates = [
        LintRule(.dateType, .error, update(state + #","stale-date":"1790003600""#)),
        LintRule(.dateNull, .error, update(state + #","stale-date":null"#)),
        LintRule(.dateMilliseconds, .error, update(state + #","stale-date":1790003600000"#)),
        LintRule(.dismissalOnNonEnd, .warning, update(state + #","dismissal-date":1790003600"#)),
        LintRule(
            .dismissalBeyond4h, .warning,
            #"{"aps":{"timestamp":1790000000,"event":"end",\#(state),"dismissal-date":1790086400}}"#),
        LintRule(.staleInPast, .warning, update(state + #","stale-date":1789990000"#)),
        LintRule(.relevanceType, .error, update(state + #","relevance-score":"50""#)),
    ]

    private static let inputPush = [
        LintRule(
            .inputPushConflict, .error,
            start(attributes + "," + alert + #","input-push-token":1,"input-push-channel":"dHN0LXNyY2gtY2hubA==""#),
            kind: .start),
        LintRule(
            .inputPushTokenValue, .error, start(attributes + "," + alert + #","input-push-token":true"#), kind: .start),
        LintRule(
            .inputPushChannelFormat, .error,
            start(attributes + "," + alert + #","input-push-channel":"0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11""#),
            kind: .start),
        LintRule(.inputPushOnNonStart, .warning, update(state + #","input-push-token":1"#)),
    ]

    private static let headers = [
        header(.headerPath, ":path: /4/broadcasts/apps/com.example.MyApp.push-type.liveactivity"),
        header(.headerTopic, "apns-topic: com.example.MyApp", kind: .device),
        header(.headerPushType, "apns-push-type: alert"), header(.headerPriority, "apns-priority: 7"),
        header(.headerExpirationMissing, "apns-priority: 10"),
        header(.headerExpirationFormat, "apns-expiration: 1790000600000"),
        header(.headerExpirationPolicy, "apns-expiration: 1790000600"),
        LintRule(
            .headerExpirationRange, .warning, "apns-expiration: 1795000000", kind: .device, need: .headers),
        header(.headerID, "apns-request-id: 17"),
        header(.headerCollapseID, "apns-collapse-id: " + String(repeating: "x", count: 65), kind: .device),
        header(.headerChannelID, "apns-channel-id: match-7"),
        header(.headerDuplicate, "apns-priority: 5\napns-priority: 10"),
        LintRule(.headerUnknown, .warning, "apns-prioritiy: 10", kind: .broadcast, need: .headers),
    ]

    private static func header(
        _ code: Code, _ example: String, kind: RequestKind = .broadcast
    ) -> LintRule {
        LintRule(code, .error, example, kind: kind, need: .headers)
    }
}
