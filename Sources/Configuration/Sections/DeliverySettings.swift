/// `[delivery]`: how events leave for APNs.
public struct DeliverySettings: Sendable, Hashable {
    /// Threads that talk to APNs.
    public var loops = 1
    /// Connections per app and loop for sending.
    public var connections = 2
    /// Most requests in flight on one connection, below APNs' own limit.
    public var streamsMax = 1000
    /// Milliseconds after which a request without an answer is given up.
    public var streamTimeoutMilliseconds = 10_000
    /// Milliseconds within which a connection must be ready for requests.
    public var connectTimeoutMilliseconds = 5_000
    /// Least milliseconds between two updates of one key.
    public var keyIntervalMilliseconds = 1_000
    /// Milliseconds after a start within which its update token should be registered.
    public var startTokenWaitMilliseconds = 900_000
    /// Milliseconds after which the provider token is signed anew.
    public var tokenRenewMilliseconds = 2_700_000

    /// With every default.
    public init() {}
}

extension DeliverySettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer(
            "loops", \.loops, 1...16,
            "Threads that talk to APNs; destinations are spread over them. More than there are CPUs helps nobody."),
        .integer(
            "connections", \.connections, 1...64,
            """
            HTTP/2 connections per app and loop for sending. Our choice: Apple names no number, and takes many short \
            connections for an attack.
            """),
        .integer(
            "streams_max", \.streamsMax, 1...10_000,
            "Most requests in flight on one connection. APNs' own limit, which changes, is obeyed in any case."),
        .integer(
            "stream_timeout_ms", \.streamTimeoutMilliseconds, 100...600_000,
            "A request without an answer is given up after this time; its fate is then unknown and the newest goes out."
        ),
        .integer(
            "connect_timeout_ms", \.connectTimeoutMilliseconds, 100...600_000,
            "TCP, TLS and HTTP/2 settings together must be done within this time."),
        .integer(
            "key_interval_ms", \.keyIntervalMilliseconds, 10...3_600_000,
            """
            Least time between two updates of one key; what comes faster is conflated, the newest always goes out. \
            Below 1000 the device cannot order them: aps.timestamp counts whole seconds.
            """),
        .integer(
            "start_token_wait_ms", \.startTokenWaitMilliseconds, 1_000...86_400_000,
            """
            A started activity whose app has not registered its update token after this time is reported: in the log, \
            in the status and by `carillon activity show`.
            """),
        .integer(
            "token_renew_ms", \.tokenRenewMilliseconds, 1_200_000...3_540_000,
            """
            The provider token is signed anew after this time. Apple wants that no oftener than every 20 and at least \
            every 60 minutes.
            """
        ),
    ]
}
