public import LiveActivity

/// A message that APNs accepted, read once and shared by everything that keeps or shows it.
public final class Message: Sendable {
    /// Position among all accepted messages of the world; orders what was accepted.
    public let sequence: UInt64
    /// `aps.event`, nil when there is none a device knows.
    public let event: EventKind?
    /// `aps.timestamp` in whole seconds, nil when absent or no number.
    public let stampSeconds: Int64?
    /// Bytes of `content-state` as they came; empty when absent.
    public let state: [UInt8]
    /// Identity of the content: a hash of `state`.
    public let stateHash: UInt64
    /// Identity of what rings: a hash of the alert and the content; nil when the message does not ring.
    public let ring: UInt64?
    /// When APNs accepted it, milliseconds since 1970.
    public let acceptedAtMilliseconds: Int64
    /// How far it decodes, for every schema that its receivers use.
    let verdicts: [Verdict]

    /// What one schema says of the content state.
    struct Verdict: Sendable {
        let schema: Int
        let decodes: Bool
        /// Value of the schema's monotone field.
        let monotone: Double?
    }

    init(
        sequence: UInt64, event: EventKind?, stampSeconds: Int64?, state: [UInt8], ring: UInt64?,
        acceptedAtMilliseconds: Int64, verdicts: [Verdict]
    ) {
        self.sequence = sequence
        self.event = event
        self.stampSeconds = stampSeconds
        self.state = state
        self.stateHash = contentHash(state)
        self.ring = ring
        self.acceptedAtMilliseconds = acceptedAtMilliseconds
        self.verdicts = verdicts
    }

    /// The same message with what a further schema says of it.
    func judged(by verdict: Verdict) -> Message {
        Message(
            sequence: sequence, event: event, stampSeconds: stampSeconds, state: state, ring: ring,
            acceptedAtMilliseconds: acceptedAtMilliseconds, verdicts: verdicts + [verdict])
    }

    /// Whether a device would show the same after either of the two, whatever their stamps and alerts.
    func saysTheSame(as other: Message) -> Bool { event == other.event && state == other.state }

    /// The verdict for a schema; without a schema every state decodes.
    func verdict(for schema: Int?) -> Verdict {
        guard let schema else { return Verdict(schema: -1, decodes: true, monotone: nil) }
        return verdicts.first { $0.schema == schema } ?? Verdict(schema: schema, decodes: false, monotone: nil)
    }
}

/// FNV-1a over bytes: an identity for content, not a defence.
func contentHash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    var hash = start
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
}
