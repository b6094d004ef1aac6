/// What an answer calls for (Docs/APNs.md 3.4).
public enum Reaction: Hashable, Sendable {
    /// Done: 2xx, or a delete of a channel that is gone already.
    case accepted
    /// FIX: our bug or the producer's; the same request will never succeed.
    case fix
    /// DROP: forget the token, unless it was registered after `sinceMilliseconds` (1970) where APNs gave it.
    case dropToken(sinceMilliseconds: Int64?)
    /// JWT and CONN: sign a new provider token, never more often than every 20 minutes, and use a new connection.
    case signAgain
    /// CONN: send it again on another connection.
    case reconnect
    /// CONF: credentials, capability or topic are wrong; an operator must act.
    case configuration(Configuration)
    /// LATER: with back-off; not before `milliseconds` from now where the peer said so.
    case later(milliseconds: Int64?)
    /// CHAN: the channel is gone; stop sending, create it again if it is still wanted.
    case channelGone
    /// The app has 10 000 channels: delete stale ones first.
    case channelLimit

    /// How far a wrong configuration reaches.
    public enum Configuration: Hashable, Sendable {
        /// Nothing can be sent with these credentials.
        case credentials
        /// This topic, or this feature for it, is not allowed; others may be.
        case topic
    }
}

/// Everything that follows from one answer, for the lane, the pool and the operator.
public struct Verdict: Hashable, Sendable {
    /// How much an answer counts against its connection: APNs allows fewer streams after errors and closes on many.
    public enum Burden: UInt8, Sendable {
        /// Not at all: accepted, and 410 by Apple's word.
        case none
        /// As one error.
        case error
        /// As several: APNs closes a connection sooner over bad device tokens.
        case heavy
    }

    /// How the lane waits before it sends again.
    public enum Pace: UInt8, Sendable {
        /// Never: it is done or will not succeed.
        case never
        /// At once; not processed, so it may still ring.
        case immediately
        /// Too many requests, or refused credentials, over which the pool watches: seconds.
        case throttled
        /// The server is in trouble: from seconds to the 15 minutes that Apple names.
        case serverError
        /// An operator has to act on this topic: about a minute or more.
        case configuration
    }

    /// The answer.
    public var answer: Answer
    /// What to do.
    public var reaction: Reaction
    /// How much it counts against the connection.
    public var burden: Burden
    /// Whether the connection must take no further requests and be closed.
    public var closesConnection: Bool
    /// How the lane goes on.
    public var pace: Pace

    /// Whether the same request may succeed later without being changed.
    public var retryable: Bool { pace != .never }
    /// Whether APNs took it.
    public var isAccepted: Bool { reaction == .accepted }
    /// Whether the answer shows that the provider token was believed: only then may a connection carry more than
    /// one stream.
    public var provesCredentials: Bool {
        guard answer.status != 401, answer.status != 403, answer.status < 500, answer.status >= 200 else {
            return false
        }
        return reaction != .signAgain && answer.reason?.text != "TooManyProviderTokenUpdates"
    }
}
