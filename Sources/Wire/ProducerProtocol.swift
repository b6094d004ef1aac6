/// The constants of the producer protocol (Docs/Protocol/Producer.md): one place for every name and bound.
public enum ProducerProtocol {
    /// Frame 0 of every message.
    public static let tag: [UInt8] = Array("CRL1".utf8)
    /// The versions this code speaks, as told in `unsupported-version`.
    public static let versions = ["CRL1"]
    /// Most frames of a message, the routing identity not counted.
    public static let framesMax = 3
    /// Most publishes and registrations in one `batch`.
    public static let batchItemsMax = 128
    /// Most frames of a `batch`, the routing identity not counted: tag, header, and at most two for each item.
    public static let batchFramesMax = 2 + 2 * batchItemsMax
    /// Longest header a producer may send, in bytes.
    public static let requestHeaderBytesMax = 4096
    /// Longest header a node may send, in bytes.
    public static let answerHeaderBytesMax = 262_144
    /// Longest payload frame of a request, in bytes: above what APNs takes, so that the refusal can say how much is too
    /// much.
    public static let payloadBytesMax = 32_768
    /// Longest status document, in bytes.
    public static let documentBytesMax = 1_048_576
    /// Most members of a header; more are refused.
    public static let headerMembersMax = 64

    /// Longest token in hexadecimal digits.
    public static let tokenDigitsMax = 512
    /// Longest user or device identifier in bytes.
    public static let subjectBytesMax = 128
    /// Longest free text (client name, reason, message) in bytes.
    public static let textBytesMax = 512
    /// Most findings in a refusal.
    public static let findingsMax = 32
    /// Most channels in one answer.
    public static let channelsPerAnswerMax = 500
    /// Most entries in any other list (capabilities, endpoints).
    public static let listEntriesMax = 32
    /// Longest name of an attributes type in bytes.
    public static let attributesTypeBytesMax = 128
    /// Most tokens, and most starts, in one answer about an activity.
    public static let activityEntriesMax = 100
    /// Largest credit.
    public static let creditMax = 65_535
    /// Most unanswered requests other than `publish` in a session.
    public static let unansweredRequestsMax = 256
    /// Largest sequence number, 2^53 - 1, so that every JSON library can carry it.
    public static let sequenceMax: Int64 = 9_007_199_254_740_991
}
