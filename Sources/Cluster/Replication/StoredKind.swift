/// What a stored row holds. Raw values are on disk: never renumber, never use again.
public enum StoredKind: UInt8, Sendable, CaseIterable {
    /// The newest record of a name with hashes of its last 16 event IDs. Row key: `Key.nameBytes`.
    case record = 1
    /// An important record that a newer one displaced while it waited. Row key: `Key.nameBytes`.
    case important = 2
    /// Up to which event the alerts of a name may have been handed to APNs. Row key: `Key.nameBytes`.
    case intent = 3
    /// Outcomes of the last events of a name, apart from the record so that settling rewrites no payload.
    /// Row key: `Key.nameBytes`.
    case settlement = 4
    /// A registered token. Row key: `TokenRow.key`.
    case token = 5
    /// A channel of the catalogue. Row key: `Key.nameBytes`.
    case channel = 6
    /// Formerly what the cluster and this node are; not written any more.
    case cluster = 7
    /// A token that was registered and has not yet had the state. Row key: `TokenRow.key`.
    case behind = 8
    /// A push-to-start or ordinary token of a device. Row key: `DeviceRows.tokenKey`.
    case deviceToken = 9
    /// The start of an activity on a device. Row key: `DeviceRows.startKey`.
    case start = 10
    /// When a device had its last starts. Row key: `DeviceRows.timesKey`.
    case startTimes = 11

    // Rows of the node itself, not of a shard.

    /// What this node is: `NodeRecord`.
    case node = 32
    /// The cluster's charter.
    case charter = 33
    /// Term and vote of consensus.
    case consensus = 34
    /// An entry of the coordinator's log. Row key: its index, big-endian.
    case logEntry = 35
    /// The cluster state that the log begins on.
    case logSnapshot = 36
    /// Promise, watermark and base of a shard's table. Row key: its number, big-endian.
    case shardState = 37
}
