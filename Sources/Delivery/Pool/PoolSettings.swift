/// The knobs of the connection pool of one origin: one app's credentials towards one host.
public struct PoolSettings: Hashable, Sendable {
    /// Connections kept open once the pool was needed; 0 to `connectionsMax`. 0 opens one only when something waits.
    public var connectionsMin: Int
    /// Most connections that take requests or are being opened. Draining ones are not counted: their replacement
    /// must not wait.
    public var connectionsMax: Int
    /// Most requests at once on one connection, whatever the peer allows.
    public var streamsMax: Int
    /// Requests after which a connection is replaced, before stream identifiers run out at 2^31-1 (RFC 9113 5.1.1).
    public var requestsPerConnectionMax: Int
    /// Time for TCP, TLS and the first SETTINGS.
    public var connectTimeoutMilliseconds: Int64
    /// Silence of an idle connection after which it is asked for a sign of life. Keeps the flow known to NAT
    /// devices; Apple finds an hour fine and libraries ping every 15 to 60 s (Docs/APNs.md 1.6).
    public var pingAfterIdleMilliseconds: Int64
    /// Silence with requests under way after which the peer is asked. With the time for the answer below the
    /// request time-out, so that a dead connection is found before its requests time out one by one.
    public var pingAfterSilenceMilliseconds: Int64
    /// Time for the answer to a PING; then the connection is closed.
    public var pongTimeoutMilliseconds: Int64
    /// Time for the last requests of a connection that takes no new ones; then it is closed.
    public var drainTimeoutMilliseconds: Int64
    /// How long a peer limit of zero is borne while requests wait; then another connection is tried.
    public var starvedAfterMilliseconds: Int64
    /// Waiting between attempts to connect, while connections fail or end before their first answer.
    public var connect: BackOff
    /// Connections per time: APNs takes opening and closing repeatedly for an attack (Docs/APNs.md 1.6).
    public var churn: Budget
    /// Refused credentials in a row after which the pool stops.
    public var refusalsMax: Int
    /// Waiting between trials while credentials are refused.
    public var circuit: BackOff
    /// Errors, less successes, after which a connection gets a quarter of its streams. A bad device token counts four.
    public var penaltyMax: Int

    /// The defaults; all our choice.
    public init() {
        connectionsMin = 1
        connectionsMax = 4
        streamsMax = 500
        requestsPerConnectionMax = 1_000_000_000
        connectTimeoutMilliseconds = 10_000
        pingAfterIdleMilliseconds = 60_000
        pingAfterSilenceMilliseconds = 3_000
        pongTimeoutMilliseconds = 5_000
        drainTimeoutMilliseconds = 15_000
        starvedAfterMilliseconds = 30_000
        connect = BackOff(baseMilliseconds: 250, maxMilliseconds: 60_000)
        churn = Budget(capacity: 12, refillMillitokensPerSecond: 200)
        refusalsMax = 3
        circuit = BackOff(baseMilliseconds: 60_000, maxMilliseconds: 900_000)
        penaltyMax = 40
    }

    /// The same with every number moved into its range, so that the machine need not doubt them.
    func bounded() -> PoolSettings {
        var result = self
        result.connectionsMax = max(1, connectionsMax)
        result.connectionsMin = min(max(0, connectionsMin), result.connectionsMax)
        result.streamsMax = max(1, streamsMax)
        result.requestsPerConnectionMax = min(max(1, requestsPerConnectionMax), 1 << 30 - 1)
        result.refusalsMax = max(1, refusalsMax)
        result.penaltyMax = max(1, penaltyMax)
        return result
    }
}
