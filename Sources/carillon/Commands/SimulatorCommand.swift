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
            through its control socket.
            """,
        arguments: [CommandArgument("ACTION", "state: print the state of the running simulator.", optional: true)],
        options: [
            .path("schemas", "FILE", "Attributes types by which devices decode content states (JSON)."),
            .integer("devices", 0...10_000_000, "Devices of each app that follow every channel created while it runs.")
                .fallback("0"),
            .flag("end-with-parent", "End when the parent process does; for programs that start simulators."),
        ],
        examples: [
            CommandExample("carillon apns-simulator --config cluster.toml", "Runs it."),
            CommandExample("carillon apns-simulator state -o json", "Prints channels, devices and counters."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let settings = try program.settings()
        switch invocation.argument("ACTION") {
        case nil: return try serve(settings, program, invocation)
        case "state": return try state(settings, program)
        case let other: throw Fault(.noSuchCommand, "unknown action '\(Printable.text(other ?? ""))'; there is: state")
        }
    }

    private static func serve(_ settings: Settings, _ program: Program, _ invocation: Invocation) throws(Fault)
        -> ExitStatus
    {
        var signals = Signals(SIGTERM, SIGINT)
        if invocation.flag("end-with-parent") { ParentWatch.start() }
        var own = SimulationSettings(settings)
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
