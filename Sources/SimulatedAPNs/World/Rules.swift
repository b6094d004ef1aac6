/// How a simulated APNs behaves when nothing goes wrong on purpose.
public struct Rules: Hashable, Sendable {
    /// The environment it stands for.
    public var environment: Environment
    /// Answers to what Apple leaves open.
    public var readings: Readings
    /// Streams on a connection once a valid token was accepted; before that one (Docs/APNs.md 1.3).
    public var streamsMax: Int
    /// Streams on a connection before a valid token was accepted: one at Apple. Load generators that open many at once
    /// need more.
    public var streamsAtFirst: Int
    /// Least time between two provider tokens on one connection.
    public var tokenUpdateMilliseconds: Int64
    /// Pushes in a row that one token or channel takes, refilled one every `pushRefillMilliseconds`; nil: no limit.
    public var pushBurst: Int?
    /// See `pushBurst`.
    public var pushRefillMilliseconds: Int64
    /// Management requests in a row that one app takes, refilled one every `pushRefillMilliseconds`; nil: no limit.
    public var manageBurst: Int?
    /// A connection without requests for so long gets GOAWAY with `IdleTimeout`; nil: never.
    public var idleMilliseconds: Int64?
    /// Instead, the next request of such a connection is answered 400 `IdleTimeout`, and then comes the GOAWAY.
    public var idleIsAnswered: Bool
    /// Errors that a connection may bring about before it gets GOAWAY (Docs/APNs.md 1.3); a faultless request takes
    /// one off again, `BadDeviceToken` counts as `deadTokenErrors`; nil: any number.
    public var errorsMax: Int?
    /// See `errorsMax`; Apple says that such errors close a connection sooner, but no number.
    public static let deadTokenErrors = 10
    /// Whether a well-formed token that is not registered is answered 200 and leads nowhere, for load generators.
    public var acceptsUnknownTokens: Bool

    /// Apple's behaviour as far as known unless said otherwise.
    public init(
        environment: Environment = .sandbox, readings: Readings = Readings(), streamsMax: Int = 1000,
        streamsAtFirst: Int = 1,
        tokenUpdateMilliseconds: Int64 = 20 * 60_000, pushBurst: Int? = nil, pushRefillMilliseconds: Int64 = 1000,
        manageBurst: Int? = nil, idleMilliseconds: Int64? = nil, idleIsAnswered: Bool = false, errorsMax: Int? = 500,
        acceptsUnknownTokens: Bool = false
    ) {
        self.environment = environment
        self.readings = readings
        self.streamsMax = streamsMax
        self.streamsAtFirst = streamsAtFirst
        self.tokenUpdateMilliseconds = tokenUpdateMilliseconds
        self.pushBurst = pushBurst
        self.pushRefillMilliseconds = pushRefillMilliseconds
        self.manageBurst = manageBurst
        self.idleMilliseconds = idleMilliseconds
        self.idleIsAnswered = idleIsAnswered
        self.errorsMax = errorsMax
        self.acceptsUnknownTokens = acceptsUnknownTokens
    }
}
