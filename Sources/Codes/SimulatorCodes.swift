extension Code {
    /// Nothing listens at the control socket.
    public static let simulatorUnreachable = Code(
        "CRL-M100", "simulator-unreachable", "No APNs simulator answers at this control socket.",
        "Start one (carillon apns-simulator), or correct the path of the control socket.", retryable: true,
        exit: .unavailable)
    /// The simulator did not answer in time.
    public static let simulatorTimeout = Code(
        "CRL-M101", "simulator-timeout", "The APNs simulator did not answer in time.",
        "Try again with a longer time-out.", retryable: true, exit: .temporary)
    /// A control command cannot be read.
    public static let simulatorCommand = Code(
        "CRL-M102", "simulator-command", "The APNs simulator does not understand this command.",
        "Compare the command with Docs/Simulator.md.", exit: .usage)
    /// A device, channel, app, schema or token that the simulator does not have.
    public static let simulatorUnknown = Code(
        "CRL-M103", "simulator-unknown", "The APNs simulator has no such app, channel, device, schema or token.",
        "List what there is: carillon apns-simulator state.")
    /// A bound of the simulated world is reached.
    public static let simulatorFull = Code(
        "CRL-M104", "simulator-full", "The simulated world is full.",
        "Use fewer devices, activities or tokens.")
    /// What was waited for did not come true.
    public static let simulatorWait = Code(
        "CRL-M105", "simulator-wait", "What was waited for did not become true in time.",
        "See in the state what the devices show: carillon apns-simulator state.", exit: .temporary)
    /// The credentials directory cannot be used.
    public static let simulatorCredentials = Code(
        "CRL-M106", "simulator-credentials", "A certificate or key of the APNs simulator cannot be read or written.",
        "Check the directory and its permissions, or remove it: it is made anew.", exit: .config)
    /// A schema cannot be read.
    public static let simulatorSchema = Code(
        "CRL-M107", "simulator-schema", "The schema of an activity type cannot be read.",
        "Compare it with Docs/Simulator.md.", exit: .config)
    /// The control socket cannot be opened.
    public static let simulatorSocket = Code(
        "CRL-M108", "simulator-socket", "The control socket cannot be opened.",
        "Choose another path (at most 107 bytes), or stop the simulator that uses it.", exit: .config)

    /// Area M: what the APNs simulator may say.
    static let simulatorCodes: [Code] = [
        simulatorUnreachable, simulatorTimeout, simulatorCommand, simulatorUnknown, simulatorFull, simulatorWait,
        simulatorCredentials, simulatorSchema, simulatorSocket,
    ]
}
