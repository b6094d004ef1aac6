extension Code {
    /// The provider key file is not there or cannot be read.
    public static let providerKeyMissing = Code(
        "CRL-A100", "provider-key-missing", "The provider key cannot be read.",
        "Put the .p8 file from Apple's developer site at this path, readable by the node.", exit: .noInput)
    /// The file holds no private key in PEM form.
    public static let providerKeyNotPEM = Code(
        "CRL-A101", "provider-key-not-pem", "The provider key file holds no unencrypted private key in PEM form.",
        "Use the .p8 file as Apple gave it: it begins with -----BEGIN PRIVATE KEY-----.", exit: .config)
    /// The key is no P-256 key.
    public static let providerKeyNotP256 = Code(
        "CRL-A102", "provider-key-not-p256", "The provider key is not a P-256 key, and APNs takes nothing but ES256.",
        "Use the .p8 file as Apple gave it.", exit: .config)
    /// A warning: others than the owner may read the key.
    public static let providerKeyExposed = Code(
        "CRL-A103", "provider-key-exposed", "Other users of this machine may read the provider key.",
        "Run chmod 600 on the file.", exit: .config)
    /// A new key could not be written.
    public static let providerKeyNotWritten = Code(
        "CRL-A104", "provider-key-not-written", "The provider key could not be written.",
        "Choose a directory that exists and may be written, and a file that does not exist yet.",
        exit: .cannotCreate)
    /// OpenSSL refused to sign.
    public static let providerTokenNotSigned = Code(
        "CRL-A105", "provider-token-not-signed", "The provider token could not be signed.",
        "Report this: the key was valid when it was loaded.", exit: .internalError)
    /// The clock differs from that of APNs.
    public static let clockSkew = Code(
        "CRL-A106", "clock-skew", "The clock of this node differs from that of APNs.",
        "Set the clock: provider tokens are refused when it is an hour off, and stamps are wrong before that.",
        retryable: true, exit: .temporary)
    /// The clock agrees with APNs again.
    public static let clockAgrees = Code(
        "CRL-A107", "clock-agrees", "The clock of this node agrees with that of APNs again.", "Nothing to do.")
    /// APNs refused the provider token.
    public static let providerTokenRefused = Code(
        "CRL-A108", "provider-token-refused", "APNs refused the provider token.",
        "Check key ID, team ID, key file and environment of the app, and the clock of this node.",
        retryable: true, exit: .config)
    /// Nobody answers at the APNs host, or the handshake failed.
    public static let apnsUnreachable = Code(
        "CRL-A110", "apns-unreachable", "No connection to APNs could be made.",
        "Check network, host, port and CA file; the node goes on trying.", retryable: true, exit: .unavailable)
    /// APNs closed a connection with a reason.
    public static let apnsGoAway = Code(
        "CRL-A111", "apns-goaway", "APNs closed a connection.", "Nothing to do unless it repeats; see the reason.",
        retryable: true, exit: .temporary)
    /// An answer did not come in time.
    public static let apnsTimeout = Code(
        "CRL-A112", "apns-timeout", "APNs did not answer in time.", "Try again; look at the network if it repeats.",
        retryable: true, exit: .temporary)
    /// APNs refused the request for good.
    public static let apnsRefused = Code(
        "CRL-A113", "apns-refused", "APNs refused the request.", "See the reason and Docs/APNs.md 3.4.")
    /// APNs asks to try later.
    public static let apnsBusy = Code(
        "CRL-A114", "apns-busy", "APNs asks to try again later.", "Try again later.", retryable: true,
        exit: .temporary)
    /// The connection was lost after the request had left.
    public static let apnsAnswerLost = Code(
        "CRL-A115", "apns-answer-lost", "The connection was lost before APNs answered; what became of it is unknown.",
        "Ask for the state of the channel or list all channels before trying again.", retryable: true,
        exit: .temporary)
    /// APNs answered something that cannot be understood.
    public static let apnsAnswerUnreadable = Code(
        "CRL-A116", "apns-answer-unreadable", "The answer of APNs cannot be read.",
        "Check that host and port belong to APNs.", exit: .unavailable)
    /// Too many channel operations wait.
    public static let apnsManagementFull = Code(
        "CRL-A117", "apns-management-full", "Too many channel operations wait for APNs.", "Try again later.",
        retryable: true, exit: .temporary)
    /// The service is stopping or not started.
    public static let apnsStopped = Code(
        "CRL-A118", "apns-stopped", "The APNs client of this node is not running.", "Ask another node.",
        retryable: true, exit: .unavailable)
    /// The settings of an app cannot work.
    public static let apnsSettingsInvalid = Code(
        "CRL-A119", "apns-settings-invalid", "The APNs settings of the app cannot work.",
        "Correct the setting that is named.", exit: .config)
    /// A token of the other environment, most often.
    public static let wrongEnvironment = Code(
        "CRL-A120", "wrong-environment", "APNs does not know the device token in this environment.",
        "Debug builds have sandbox tokens, TestFlight and App Store builds have production tokens: register the "
            + "token with the app of the right environment.")

    /// Connections work again.
    public static let apnsReachable = Code(
        "CRL-A121", "apns-reachable", "Connections to APNs work again.", "Nothing to do.")
    /// A channel ID that cannot be one.
    public static let badChannelID = Code(
        "CRL-A122", "bad-channel-id", "This is no channel ID: they are base64 text as APNs returned it.",
        "Take the ID from carillon channel list.")

    /// Too many connections were opened lately.
    public static let apnsConnectionsLimited = Code(
        "CRL-A123", "apns-connections-limited", "A connection is needed, but too many were opened lately.",
        "Find out why connections to APNs end; APNs takes constant reconnecting for an attack.", retryable: true,
        exit: .temporary)

    /// Area A: what the APNs client may say.
    static let apnsCodes: [Code] = [
        providerKeyMissing, providerKeyNotPEM, providerKeyNotP256, providerKeyExposed, providerKeyNotWritten,
        providerTokenNotSigned, clockSkew, clockAgrees, providerTokenRefused, apnsUnreachable, apnsGoAway,
        apnsTimeout, apnsRefused, apnsBusy, apnsAnswerLost, apnsAnswerUnreadable, apnsManagementFull, apnsStopped,
        apnsSettingsInvalid, wrongEnvironment, apnsReachable, badChannelID,
        apnsConnectionsLimited,
    ]
}
