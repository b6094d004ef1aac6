/// `[simulator]`: `carillon apns-simulator`.
public struct SimulatorSettings: Sendable, Hashable {
    /// What a device does with a stamp equal to the one it shows (Docs/APNs.md 4.3: unknown).
    public enum StampReading: String, Sendable, CaseIterable {
        /// It shows only a larger one.
        case strict
        /// It shows an equal one too.
        case equal
    }

    /// Address that it binds.
    public var host = "127.0.0.1"
    /// Port of device pushes and broadcasts.
    public var sendPort = 7_443
    /// Port of channel management.
    public var managePort = 7_444
    /// Unix socket of its control endpoint.
    public var controlSocket = "data/simulator/control.sock"
    /// Directory of its certificate authority and provider keys.
    public var credentialsDirectory = "data/simulator"
    /// Milliseconds between a request and its answer.
    public var answerDelayMilliseconds = 50
    /// What a device does with an equal stamp.
    public var stampReading = StampReading.strict
    /// Seconds by which a stamp may lie in the past and still be shown; 0: any.
    public var pastLimitSeconds = 0
    /// Most virtual devices.
    public var devices = 100_000

    /// With every default.
    public init() {}
}

extension SimulatorSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .text("host", \.host, .host, "Address that it binds."),
        .integer("send_port", \.sendPort, 1...65535, "Port of device pushes and broadcasts."),
        .integer("manage_port", \.managePort, 1...65535, "Port of channel management."),
        .path(
            "control_socket", \.controlSocket,
            "Unix socket through which commands and the demo ask for its state; its path has at most 107 bytes."),
        .path(
            "credentials_dir", \.credentialsDirectory,
            "Directory of its certificate authority (ca.pem) and provider keys; made at its first start."),
        .integer(
            "answer_delay_ms", \.answerDelayMilliseconds, 0...60_000, "Time between a request and its answer."),
        .word(
            "stamp_reading", \.stampReading,
            "Whether a device shows a message whose stamp equals the one it shows. Apple does not say: try both."),
        .integer(
            "past_limit_s", \.pastLimitSeconds, 0...86_400,
            """
            Devices ignore a stamp that lies further in the past; 0: none does. Seen between 10 and 200 s; Apple does \
            not say.
            """
        ),
        .integer("devices", \.devices, 1...10_000_000, "Most virtual devices; registering more is refused."),
    ]
}
