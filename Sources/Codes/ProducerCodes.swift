extension Code {
    /// The message is no Carillon message: frame 0, frame count or header cannot be read.
    public static let malformed = Code(
        "CRL-P100", "malformed", "The message cannot be read.",
        "Compare the frames with Docs/Protocol/Producer.md.")
    /// The protocol version of frame 0 is not spoken here.
    public static let unsupportedVersion = Code(
        "CRL-P101", "unsupported-version", "This protocol version is not spoken here.",
        "Speak one of the versions named in the answer.")
    /// The app is not configured.
    public static let unknownApp = Code(
        "CRL-P102", "unknown-app", "The app is not configured on this cluster.",
        "Add an [app.NAME] section to cluster.toml or correct the name.")
    /// The producer may not do this.
    public static let notAllowed = Code(
        "CRL-P103", "not-allowed", "This producer may not use this app or name.",
        "Extend the producer's apps or prefixes in cluster.toml.", exit: .permission)
    /// No channel of this name was created.
    public static let unknownChannel = Code(
        "CRL-P104", "unknown-channel", "No channel of this name exists.",
        "Create it first: carillon channel create.")
    /// The payload does not pass the linter.
    public static let lintFailed = Code(
        "CRL-P105", "lint-failed", "The payload would be refused or dropped.",
        "Mend the findings listed in the answer.")
    /// The payload is too large once its timestamp is in.
    public static let tooLarge = Code(
        "CRL-P106", "too-large", "The payload is larger than APNs takes.",
        "Send at most 4096 bytes to activities and 5120 to channels, aps.timestamp included.")
    /// No room: a queue is full.
    public static let overloaded = Code(
        "CRL-P107", "overloaded", "A queue of this node is full.", "Wait for the retry time and send again.",
        retryable: true, exit: .temporary)
    /// A lower revision than the record's, or an update after the end.
    public static let superseded = Code(
        "CRL-P108", "superseded", "A newer event of this key was accepted before.",
        "Nothing to do: the newer state stands.")
    /// The instance has ended.
    public static let ended = Code(
        "CRL-P109", "ended", "This instance has ended and takes no more events.",
        "Start the name again to make a new instance.")
    /// Nothing is known of the key or event asked for.
    public static let unknownKey = Code(
        "CRL-P110", "unknown-key", "Nothing is known of this key or event.", "Check app, name and instance.")
    /// The command of the header is not known.
    public static let unknownCommand = Code(
        "CRL-P111", "unknown-command", "The command is not known.", "See the commands in Docs/Protocol/Producer.md.")
    /// A header field is missing or of the wrong type.
    public static let badField = Code(
        "CRL-P112", "bad-field", "A header field is missing or has the wrong form.",
        "Correct the field that is named in the answer.")
    /// The node is going away.
    public static let draining = Code(
        "CRL-P113", "draining", "This node is shutting down.", "Send to another node.", retryable: true,
        exit: .temporary)
    /// Storing failed; the event was not accepted.
    public static let notStored = Code(
        "CRL-P114", "not-stored", "The event could not be written to disk and is not accepted.",
        "Send it again; if it persists look at the node's storage errors.", retryable: true, exit: .temporary)
    /// APNs could not be asked or refused to create or delete the channel.
    public static let channelFailed = Code(
        "CRL-P115", "channel-failed", "APNs did not carry out the channel request.",
        "See the reason in the answer; try again if it says so.", retryable: true, exit: .temporary)
    /// A request came before `hello`: after a reconnection, or after the node was restarted.
    public static let helloRequired = Code(
        "CRL-P116", "hello-required", "This connection has no session.",
        "Say hello and send again what was not answered.", retryable: true, exit: .temporary)
    /// Nobody answered in time.
    public static let noAnswer = Code(
        "CRL-P117", "no-answer", "The node did not answer in time.",
        "Check the endpoint and that the node runs; what was not answered may or may not have been accepted.",
        retryable: true, exit: .unavailable)
    /// The handshake was refused or no node speaks ZeroMQ with the expected key at the endpoint.
    public static let refusedConnection = Code(
        "CRL-P118", "connection-refused", "The node refused the connection.",
        "Check the server's public key and that this certificate is in the node's directory of allowed ones.",
        exit: .permission)
    /// The client was closed.
    public static let clientClosed = Code(
        "CRL-P119", "client-closed", "The client is closed.", "Open a new one.", exit: .unavailable)
    /// A ZeroMQ endpoint cannot be parsed, bound or connected.
    public static let badEndpoint = Code(
        "CRL-P120", "bad-endpoint", "The ZeroMQ endpoint cannot be used.",
        "Write it like tcp://127.0.0.1:7400 and see that the port is free.", exit: .config)
    /// The user took the activity off the screen of the named device.
    public static let dismissed = Code(
        "CRL-P121", "dismissed", "The user dismissed this activity on the device; it is not started there again.",
        "End it and start the name again if the user asks for a new one.")
    /// The owner of the key's shard changes.
    public static let shardMoves = Code(
        "CRL-P122", "shard-moves", "The key's shard is on its way to another node.",
        "Send it again after the retry time; the same event ID is not accepted twice.", retryable: true,
        exit: .temporary)

    /// Area P: what the producer protocol may answer.
    static let producerCodes: [Code] = [
        malformed, unsupportedVersion, unknownApp, notAllowed, unknownChannel, lintFailed, tooLarge, overloaded,
        superseded, ended, unknownKey, unknownCommand, badField, draining, notStored, channelFailed,
        helloRequired, noAnswer, refusedConnection, clientClosed, badEndpoint,
        dismissed, shardMoves,
    ]
}
