/// Turns an answer of APNs into what it calls for, by the table of Docs/APNs.md 3.4: first by reason, and by status
/// where the reason is missing or unknown.
public enum AnswerClassifier {
    /// Longest `retry-after` that is believed: an hour, so that a strange header cannot silence a lane for a day.
    public static let retryAfterMillisecondsMax: Int64 = 3_600_000

    /// What `answer` to `operation` calls for. Total: every status and every reason has a verdict.
    public static func classify(_ operation: Operation, _ answer: Answer) -> Verdict {
        if (200..<300).contains(answer.status) { return verdict(answer, .accepted, .none) }
        if let reason = answer.reason, let known = byReason(operation, reason.text, answer) { return known }
        return byStatus(operation, answer)
    }

    private static func byReason(_ operation: Operation, _ reason: String, _ answer: Answer) -> Verdict? {
        switch reason {
        case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DuplicateHeaders",
            "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "MissingChannelId", "BadChannelId",
            "BadRequestParams", "BadRequestPayload", "MissingPushType", "BadPath", "MethodNotAllowed",
            "PayloadTooLarge":
            verdict(answer, .fix)
        case "BadDeviceToken": token(operation, answer, .heavy)
        case "DeviceTokenNotForTopic": token(operation, answer, .error)
        case "ExpiredToken", "Unregistered": token(operation, answer, .none)
        case "ChannelNotRegistered": channel(operation, answer)
        case "CannotCreateChannelConfig": verdict(answer, .channelLimit)
        case "TopicDisallowed", "FeatureNotEnabled", "TopicMismatch":
            verdict(answer, .configuration(.topic), pace: .configuration)
        // Apple: never retry.
        case "Forbidden": verdict(answer, .configuration(.topic))
        // Short waits: the pool of these credentials stops anyway, and when it resumes the lanes should be there.
        case "InvalidProviderToken", "MissingProviderToken":
            verdict(answer, .configuration(.credentials), pace: .throttled)
        case "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken":
            verdict(answer, .configuration(.credentials), closes: true, pace: .throttled)
        case "ExpiredProviderToken": verdict(answer, .signAgain, closes: true, pace: .immediately)
        case "IdleTimeout": verdict(answer, .reconnect, .none, closes: true, pace: .immediately)
        case "UnrelatedKeyIdInToken": verdict(answer, .reconnect, closes: true, pace: .immediately)
        case "TooManyRequests", "TooManyProviderTokenUpdates": later(answer, .throttled)
        case "InternalServerError", "ServiceUnavailable": later(answer, .serverError)
        // It was not processed and a new connection meets another server, so there is no cause to wait long.
        case "Shutdown":
            verdict(answer, .reconnect, .none, closes: true, pace: .throttled)
        default: nil
        }
    }

    private static func byStatus(_ operation: Operation, _ answer: Answer) -> Verdict {
        switch answer.status {
        case 401, 403: return verdict(answer, .configuration(.topic), pace: .configuration)
        case 408, 425, 429: return later(answer, .throttled)
        case 410: return operation.namesToken ? token(operation, answer, .none) : channel(operation, answer)
        case 421: return verdict(answer, .reconnect, closes: true, pace: .immediately)
        case 300..<500: return verdict(answer, .fix)
        // 5xx, and numbers that are no HTTP status: whatever said that is in trouble.
        default: return later(answer, .serverError)
        }
    }

    private static func verdict(
        _ answer: Answer, _ reaction: Reaction, _ burden: Verdict.Burden = .error, closes: Bool = false,
        pace: Verdict.Pace = .never
    ) -> Verdict {
        Verdict(answer: answer, reaction: reaction, burden: burden, closesConnection: closes, pace: pace)
    }

    private static func later(_ answer: Answer, _ pace: Verdict.Pace) -> Verdict {
        let wait = answer.retryAfterMilliseconds.map { min(max($0, 0), retryAfterMillisecondsMax) }
        return verdict(answer, .later(milliseconds: wait), .error, pace: pace)
    }

    /// A reason about the token is nonsense where the request named none: then it is our bug.
    private static func token(_ operation: Operation, _ answer: Answer, _ burden: Verdict.Burden) -> Verdict {
        guard operation.namesToken else { return verdict(answer, .fix) }
        return verdict(answer, .dropToken(sinceMilliseconds: answer.sinceMilliseconds), burden)
    }

    private static func channel(_ operation: Operation, _ answer: Answer) -> Verdict {
        switch operation {
        case .deleteChannel: verdict(answer, .accepted)
        case .broadcast, .readChannel: verdict(answer, .channelGone)
        case .device, .start, .createChannel, .listChannels: verdict(answer, .fix)
        }
    }
}
