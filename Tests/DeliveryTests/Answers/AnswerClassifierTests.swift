import Testing

@testable import Delivery

/// Every row of Docs/APNs.md 3.4.
@Suite struct AnswerClassifierTests {
    struct Row: Sendable {
        var status: UInt16
        var reason: String
        /// D = device and start, B = broadcast, C = channel management.
        var places: String
        var reaction: Reaction
        var burden = Verdict.Burden.error
        var closes = false
        var pace = Verdict.Pace.never
    }

    static let fixes: [(UInt16, String, String)] = [
        (400, "BadCollapseId", "D"), (400, "BadExpirationDate", "DB"), (400, "BadMessageId", "DBC"),
        (400, "BadPriority", "DB"), (400, "BadTopic", "D"), (400, "DuplicateHeaders", "D"),
        (400, "InvalidPushType", "DBC"), (400, "MissingDeviceToken", "D"), (400, "MissingTopic", "D"),
        (400, "PayloadEmpty", "DB"), (400, "MissingChannelId", "BC"), (400, "BadChannelId", "BC"),
        (400, "BadRequestParams", "C"), (400, "BadRequestPayload", "BC"), (400, "MissingPushType", "BC"),
        (404, "BadPath", "DBC"), (405, "MethodNotAllowed", "DBC"), (413, "PayloadTooLarge", "DB"),
    ]

    static let rows: [Row] =
        fixes.map { Row(status: $0.0, reason: $0.1, places: $0.2, reaction: .fix) } + [
            Row(status: 400, reason: "BadDeviceToken", places: "D", reaction: drop, burden: .heavy),
            Row(status: 400, reason: "DeviceTokenNotForTopic", places: "D", reaction: drop),
            Row(status: 410, reason: "ExpiredToken", places: "D", reaction: drop, burden: .none),
            Row(status: 410, reason: "Unregistered", places: "D", reaction: drop, burden: .none),
            Row(
                status: 400, reason: "IdleTimeout", places: "D", reaction: .reconnect, burden: .none, closes: true,
                pace: .immediately),
            Row(status: 400, reason: "TopicDisallowed", places: "DBC", reaction: topic, pace: .configuration),
            Row(status: 400, reason: "FeatureNotEnabled", places: "BC", reaction: topic, pace: .configuration),
            Row(status: 403, reason: "TopicMismatch", places: "BC", reaction: topic, pace: .configuration),
            Row(status: 403, reason: "Forbidden", places: "D", reaction: topic),
            Row(status: 400, reason: "ChannelNotRegistered", places: "B", reaction: .channelGone),
            Row(status: 400, reason: "CannotCreateChannelConfig", places: "C", reaction: .channelLimit),
            Row(
                status: 403, reason: "BadCertificate", places: "DBC", reaction: credentials, closes: true,
                pace: .throttled),
            Row(
                status: 403, reason: "BadCertificateEnvironment", places: "DBC", reaction: credentials, closes: true,
                pace: .throttled),
            Row(
                status: 403, reason: "ExpiredProviderToken", places: "DBC", reaction: .signAgain, closes: true,
                pace: .immediately),
            Row(status: 403, reason: "InvalidProviderToken", places: "DBC", reaction: credentials, pace: .throttled),
            Row(status: 403, reason: "MissingProviderToken", places: "DBC", reaction: credentials, pace: .throttled),
            Row(
                status: 403, reason: "UnrelatedKeyIdInToken", places: "D", reaction: .reconnect, closes: true,
                pace: .immediately),
            Row(
                status: 403, reason: "BadEnvironmentKeyIdInToken", places: "D", reaction: credentials, closes: true,
                pace: .throttled),
            Row(
                status: 403, reason: "BadEnvironmentKeyInToken", places: "D", reaction: credentials, closes: true,
                pace: .throttled),
            Row(
                status: 429, reason: "TooManyProviderTokenUpdates", places: "DBC", reaction: later, pace: .throttled),
            Row(status: 429, reason: "TooManyRequests", places: "DBC", reaction: later, pace: .throttled),
            Row(status: 500, reason: "InternalServerError", places: "DBC", reaction: later, pace: .serverError),
            Row(status: 503, reason: "ServiceUnavailable", places: "DBC", reaction: later, pace: .serverError),
            Row(status: 503, reason: "Service Unavailable", places: "DBC", reaction: later, pace: .serverError),
            Row(
                status: 503, reason: "Shutdown", places: "DBC", reaction: .reconnect, burden: .none, closes: true,
                pace: .throttled),
        ]

    static let drop = Reaction.dropToken(sinceMilliseconds: nil)
    static let topic = Reaction.configuration(.topic)
    static let credentials = Reaction.configuration(.credentials)
    static let later = Reaction.later(milliseconds: nil)

    static func operations(_ places: String) -> [Delivery.Operation] {
        var all: [Delivery.Operation] = []
        if places.contains("D") { all += [.device, .start] }
        if places.contains("B") { all += [.broadcast] }
        if places.contains("C") { all += [.createChannel, .readChannel, .deleteChannel, .listChannels] }
        return all
    }

    @Test func everyRow() {
        #expect(Self.rows.count == 18 + 25)
        for row in Self.rows {
            for operation in Self.operations(row.places) {
                let got = verdict(row.status, row.reason, operation)
                #expect(got.reaction == row.reaction, "\(row.reason) \(operation)")
                #expect(got.burden == row.burden, "\(row.reason) \(operation)")
                #expect(got.closesConnection == row.closes, "\(row.reason) \(operation)")
                #expect(got.pace == row.pace, "\(row.reason) \(operation)")
                #expect(got.retryable == (row.pace != .never), "\(row.reason) \(operation)")
                #expect(!got.isAccepted)
            }
        }
    }

    /// Apple's list (RESP): these are never retried.
    @Test func neverRetried() {
        for (status, reason) in [
            (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (403, "Forbidden"), (410, "ExpiredToken"),
            (410, "Unregistered"), (413, "PayloadTooLarge"),
        ] as [(UInt16, String)] {
            #expect(!verdict(status, reason, .device).retryable, "\(reason)")
        }
    }

    @Test func success() {
        for (status, operation) in [
            (200, .device), (200, .start), (200, .broadcast), (201, .createChannel), (200, .readChannel),
            (204, .deleteChannel), (200, .listChannels),
        ] as [(UInt16, Delivery.Operation)] {
            let got = verdict(status, nil, operation)
            #expect(got.reaction == .accepted && got.burden == .none && !got.closesConnection && !got.retryable)
            #expect(got.provesCredentials)
        }
    }

    @Test func aChannelThatIsGone() {
        #expect(verdict(400, "ChannelNotRegistered", .deleteChannel).isAccepted)
        #expect(verdict(400, "ChannelNotRegistered", .readChannel).reaction == .channelGone)
        #expect(verdict(400, "ChannelNotRegistered", .device).reaction == .fix)
        #expect(verdict(410, nil, .broadcast).reaction == .channelGone)
        #expect(verdict(400, "BadDeviceToken", .broadcast).reaction == .fix)
    }

    @Test func unknownReasonsFallBackToTheStatus() {
        let expected: [(UInt16, Reaction)] = [
            (300, .fix), (302, .fix), (400, .fix), (401, Self.topic), (403, Self.topic), (404, .fix), (405, .fix),
            (408, Self.later), (410, Self.drop), (413, .fix), (418, .fix), (421, .reconnect), (429, Self.later),
            (500, Self.later), (502, Self.later), (503, Self.later), (599, Self.later), (0, Self.later),
            (100, Self.later), (65535, Self.later),
        ]
        for (status, reaction) in expected {
            #expect(verdict(status, "SomethingNew", .device).reaction == reaction, "\(status)")
            #expect(verdict(status, nil, .device).reaction == reaction, "\(status)")
        }
        #expect(verdict(400, "SomethingNew").answer.text == "SomethingNew")
        #expect(verdict(400).answer.text == "HTTP 400")
    }

    @Test func particulars() {
        let gone = Answer(status: 410, reason: Reason("Unregistered"), sinceMilliseconds: 1_789_999_000_123)
        #expect(
            AnswerClassifier.classify(.device, gone).reaction == .dropToken(sinceMilliseconds: 1_789_999_000_123))
        for (asked, believed) in [(5000, 5000), (-1, 0), (Int64.max, 3_600_000)] as [(Int64, Int64)] {
            let answer = Answer(status: 429, reason: Reason("TooManyRequests"), retryAfterMilliseconds: asked)
            #expect(AnswerClassifier.classify(.broadcast, answer).reaction == .later(milliseconds: believed))
        }
    }

    @Test func whatProvesCredentials() {
        for (status, reason, proves) in [
            (200, nil, true), (400, "BadDeviceToken", true), (410, "Unregistered", true),
            (429, "TooManyRequests", true),
            (403, "InvalidProviderToken", false), (403, "ExpiredProviderToken", false), (503, "Shutdown", false),
            (429, "TooManyProviderTokenUpdates", false), (0, nil, false), (401, nil, false),
        ] as [(UInt16, String?, Bool)] {
            #expect(verdict(status, reason, .device).provesCredentials == proves, "\(status) \(reason ?? "-")")
        }
    }

    @Test func reasonsFromOutsideAreCutAndCleaned() {
        #expect(Reason("Bad\u{1B}[2J\nToken\u{E9}").text == "Bad?[2J?Token?")
        #expect(Reason(String(repeating: "x", count: 10_000)).text.utf8.count == Reason.lengthMax)
        #expect(Reason("").text.isEmpty)
        #expect(Reason("Service Unavailable") == Reason("ServiceUnavailable"))
    }
}
