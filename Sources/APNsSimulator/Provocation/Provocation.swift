internal import LiveActivity
internal import SimulatedAPNs

/// A way to provoke a reason. The table in Docs/Simulator.md is written from it, and the tests do what it says.
struct Provocation: Sendable {
    /// How the reason comes.
    enum Arrival: Sendable {
        /// In the answer to the request.
        case answer
        /// In the debug data of a GOAWAY.
        case goAway
    }

    /// What is expected.
    let reason: Reason
    /// Requests that it works with, each on a connection of its own.
    let kinds: [Operation]
    /// What is different from a faultless request, in this order.
    let steps: [Step]
    let arrival: Arrival

    init(_ reason: Reason, _ kinds: [Operation], _ steps: [Step], arrival: Arrival = .answer) {
        self.reason = reason
        self.kinds = kinds
        self.steps = steps
        self.arrival = arrival
    }
}

extension Provocation {
    /// One difference from a faultless request.
    enum Step: Sendable {
        /// A command of the control socket first. `$TOKEN` and `$CHANNEL` stand for the request's own.
        case control(String, [JSONValue.Member])
        /// A request with these differences first, on the same connection; it succeeds.
        case before([Step])
        /// The connection is left alone for so long.
        case idle(milliseconds: Int64)
        case sign(Signing)
        case certificate(CertificateKind)
        case method(String)
        /// Another bundle ID in the path.
        case bundle(String)
        /// Another device token in the path.
        case token(String)
        /// Something behind the path.
        case appending(String)
        case set(String, String)
        /// A value of so many bytes.
        case long(String, Int)
        case remove(String)
        case twice(String)
        case body(Body)
    }

    /// What the `authorization` field says.
    enum Signing: Sendable {
        case nothing
        case malformed
        /// By a key that is not the one it names.
        case forged
        case unknownKey
        case otherTeam
        /// Issued so long ago; negative: in the future. Another age is another token.
        case age(seconds: Int64)
        /// By a key that was added.
        case key(String)
    }

    /// The client certificate shown in the handshake. A faultless `authorization` field is sent besides: it is not
    /// looked at.
    enum CertificateKind: Sendable {
        /// Of another authority.
        case stranger
        case expired
        case otherEnvironment
        case otherTopics
    }

    enum Body: Sendable {
        case empty
        case text(String)
        /// One byte more than the kind of request allows.
        case tooLong
    }
}
