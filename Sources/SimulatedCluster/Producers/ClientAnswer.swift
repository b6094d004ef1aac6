internal import Cluster
internal import Codes

/// What a producer hears, in the end.
enum ClientAnswer: Sendable {
    /// The event is stored.
    case acknowledged(copies: Int, isRepeated: Bool)
    /// The token is registered.
    case registered
    /// The channel exists.
    case channel(id: [UInt8]?)
    /// Not now, perhaps later.
    case later(String)
    /// Never.
    case never(String)
    /// Something else.
    case other

    init(_ reply: Reply) {
        switch reply {
        case .acknowledged(let answer):
            self = .acknowledged(copies: answer.copies, isRepeated: answer.isRepeated)
        case .registered: self = .registered
        case .channel(let summary, _): self = .channel(id: summary.channelID)
        case .refused(let fault, _):
            let text = "\(fault.code)"
            self = fault.code.retryable ? .later(text) : .never(text)
        default: self = .other
        }
    }
}
