internal import APNsSimulator
internal import CLinux
internal import Codes
internal import Configuration
internal import LiveActivity
internal import Loops
internal import SimulatedAPNs
internal import Terminal

/// `carillon apns-simulator`: APNs and its devices on this machine.
enum SimulatorCommand {
    static let command = Command(
        "apns-simulator", "Run the APNs simulator, or read the state of a running one.",
        details: """
            Without an action it runs until SIGTERM or SIGINT. At its first start it makes a certificate \
            authority, a server certificate and a provider key in [simulator] credentials_dir. Devices are added \
            through its control socket. token and certificate print what curl or any other client needs; no \
            simulator has to run for that.
            """,
        arguments: [
            CommandArgument(
                "ACTION",
                "state: the state of the running simulator; token: a provider token; certificate: a client certificate.",
                optional: true)
        ],
        options: [
            .path("schemas", "FILE", "Attributes types by which devices decode content states (JSON)."),
            .integer("devices", 0...10_000_000, "Devices of each app that follow every channel created while it runs.")
                .fallback("0"),
            .word("environment", ["sandbox", "production"], "The environment it stands for.").fallback("sandbox"),
            .text("key-id", "ID", "Of the key that signs the token; the first app's unless given."),
            .text("team-id", "ID", "Of the token's team; the first app's unless given."),
            .integer("age-s", -86_400...86_400, "How many seconds ago the token was issued.").fallback("0"),
            .text("app", "NAME", "The app whose topics the certificate lists; the first unless given."),
            .flag("end-with-parent", "End when the parent process does; for programs that start simulators."),
        ],
        examples: [
            CommandExample("carillon apns-simulator --config cluster.toml", "Runs it."),
            CommandExample("carillon apns-simulator state -o json", "Prints channels, devices and counters."),
            CommandExample("carillon apns-simulator token", "Prints a provider token, for `authorization: bearer`."),
            CommandExample(
                "carillon apns-simulator certificate > client.pem", "Makes a certificate for `curl --cert`."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let settings = try program.settings()
        switch invocation.argument("ACTION") {
        case nil: return try serve(settings, program, invocation)
        case "state": return try state(settings, program)
        case "token": return try token(settings, program, invocation)
        case "certificate": return try certificate(settings, program, invocation)
        case let other:
            throw Fault(
                .noSuchCommand,
                "unknown action '\(Printable.text(other ?? ""))'; there are: state, token, certificate")
        }
    }

    private static func serve(_ settings: Settings, _ program: Program, _ invocation: Invocation) throws(Fault)
        -> ExitStatus
    {
        var signals = Signals(SIGTERM, SIGINT)
        if invocation.flag("end-with-parent") { ParentWatch.start() }
        var own = SimulationSettings(settings)
        if invocation.text("environment") == "production" { own.rules.environment = .production }
        if let path = invocation.text("schemas") {
            own.schemas = try SimulationSettings.readSchemas(file: path)
        }
        let count = invocation.integer("devices") ?? 0
        if count > 0 {
            own.devices = own.apps.map { DeviceGroup(bundleID: $0.bundleID, count: count, way: .newChannels) }
        }
        let simulator = try APNsSimulator(own)
        // The control command `stop` ends the process like a signal does.
        simulator.start { kill(getpid(), SIGTERM) }
        program.console.say(
            "APNs simulator on \(own.host), send port \(simulator.sendPort), manage port \(simulator.managePort)")
        _ = signals.next()
        simulator.stop()
        return .success
    }

    /// The credentials directory with everything in it.
    private static func credentials(_ own: SimulationSettings) throws(Fault) -> SimulatorCredentials {
        let credentials = SimulatorCredentials(directory: own.credentialsDirectory, keyID: own.keyID)
        try credentials.prepare(serverNames: own.serverNames)
        return credentials
    }

    private static func token(
        _ settings: Settings, _ program: Program, _ invocation: Invocation
    ) throws(Fault) -> ExitStatus {
        let own = SimulationSettings(settings)
        let keyID = invocation.text("key-id") ?? own.keyID
        let signer = try ProviderTokenSigner(file: try credentials(own).providerKeyPath(of: keyID))
        let token = try signer.token(
            keyID: keyID, teamID: invocation.text("team-id") ?? own.teamID,
            ageSeconds: Int64(invocation.integer("age-s") ?? 0))
        program.console.write(token + "\n")
        return .success
    }

    private static func certificate(
        _ settings: Settings, _ program: Program, _ invocation: Invocation
    ) throws(Fault) -> ExitStatus {
        let own = SimulationSettings(settings)
        let name = invocation.text("app")
        let chosen = settings.apps.first { $0.environment == .simulator && (name == nil || $0.name == name) }
        guard let app = chosen else {
            throw Fault(.simulatorUnknown, "no app '\(Printable.text(name ?? ""))' for the simulator", at: "app")
        }
        let pem = try credentials(own).clientCertificatePEM(
            for: SimulatedApp(bundleID: app.bundleID, teamID: app.teamID),
            in: invocation.text("environment") == "production" ? .production : .sandbox)
        program.console.write(String(decoding: pem, as: UTF8.self))
        return .success
    }

    private static func state(_ settings: Settings, _ program: Program) throws(Fault) -> ExitStatus {
        let control = try SimulatorControl(path: settings.simulator.controlSocket)
        if program.console.format == .json {
            var json = JSONWriter()
            json.value(try control.stateJSON())
            program.console.write(String(decoding: json.bytes, as: UTF8.self) + "\n")
            return .success
        }
        let state = try control.state()
        program.console.write(SimulatorStateText.table(state).text(wide: program.console.format == .wide))
        return .success
    }
}

extension SimulationSettings {
    /// The [simulator] section, with every app of the simulator environment.
    init(_ settings: Settings) {
        let own = settings.simulator
        let apps = settings.apps.filter { $0.environment == .simulator }
        self.init(
            credentialsDirectory: own.credentialsDirectory,
            apps: apps.map { SimulatedApp(bundleID: $0.bundleID, teamID: $0.teamID) },
            controlPath: own.controlSocket)
        host = own.host
        sendPort = UInt16(clamping: own.sendPort)
        managePort = UInt16(clamping: own.managePort)
        answerDelayMilliseconds = Int64(own.answerDelayMilliseconds)
        rules.readings.stamps = StampReading(
            equalIsShown: own.stampReading == .equal,
            ageSecondsMax: own.pastLimitSeconds == 0 ? nil : Int64(own.pastLimitSeconds))
        if let first = apps.first {
            teamID = first.teamID
            keyID = first.keyID
        }
    }
}
