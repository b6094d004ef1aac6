extension Code {
    /// The file is missing or cannot be read.
    public static let configurationUnreadable = Code(
        "CRL-C100", "configuration-unreadable", "The configuration file cannot be read.",
        "Name it with --config FILE or CARILLON_CONFIG and check its permissions.", exit: .noInput)
    /// The file is no TOML.
    public static let configurationSyntax = Code(
        "CRL-C101", "configuration-syntax", "The configuration file is not valid TOML.",
        "Correct the place that is named.", exit: .config)
    /// A section or key that does not exist.
    public static let unknownSetting = Code(
        "CRL-C102", "unknown-setting", "There is no such section or key.",
        "See Docs/Reference/Configuration.md for every key.", exit: .config)
    /// A value of the wrong type.
    public static let wrongType = Code(
        "CRL-C103", "wrong-type", "The value has the wrong type.",
        "Write a value of the type that is named.", exit: .config)
    /// A number outside its range; zero and negative limits among them.
    public static let outOfRange = Code(
        "CRL-C104", "out-of-range", "The value lies outside its range.",
        "Choose a value inside the range that is named.", exit: .config)
    /// A key without default is not given.
    public static let settingMissing = Code(
        "CRL-C105", "setting-missing", "A required key is missing.", "Add the key that is named.", exit: .config)
    /// A word that is none of the choices, or text of the wrong form.
    public static let badValue = Code(
        "CRL-C106", "bad-value", "The value is not one that this key takes.",
        "Choose one of the values that are named.", exit: .config)
    /// A name that refers to a section that does not exist.
    public static let danglingName = Code(
        "CRL-C107", "dangling-name", "The name refers to a section that does not exist.",
        "Add the section or correct the name.", exit: .config)
    /// Two values that cannot stand together.
    public static let conflictingSettings = Code(
        "CRL-C108", "conflicting-settings", "Two values cannot stand together.",
        "Change one of the two keys that are named.", exit: .config)
    /// A file written for another version of the format.
    public static let configurationVersion = Code(
        "CRL-C109", "configuration-version", "The file is written for another version of the format.",
        "Set config_version = 1 and compare the file with Docs/Reference/Configuration.md.", exit: .config)
    /// A variable that overrides nothing. A warning.
    public static let unknownVariable = Code(
        "CRL-C110", "unknown-variable", "The environment variable overrides no setting and is ignored.",
        "Correct or remove it.", exit: .config)
    /// Sockets take connections without certificates. A warning.
    public static let insecure = Code(
        "CRL-C111", "insecure", "Sockets take connections from anyone.",
        "Set cluster.insecure = false before the ports can be reached from elsewhere.", exit: .config)

    /// Two or four voters. A warning.
    public static let evenVoters = Code(
        "CRL-C112", "even-voters", "An even number of voters survives no more losses than one fewer.",
        "Name an odd number of voters in [cluster].", exit: .config)

    /// Area C: what the configuration may say.
    static let configurationCodes: [Code] = [
        configurationUnreadable, configurationSyntax, unknownSetting, wrongType, outOfRange, settingMissing, badValue,
        danglingName, conflictingSettings, configurationVersion, unknownVariable, insecure,
        evenVoters,
    ]
}
