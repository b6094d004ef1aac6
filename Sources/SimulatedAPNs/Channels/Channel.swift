/// Whether APNs keeps the most recent message of a channel for devices that are offline (Docs/APNs.md 3.3, section 6).
public enum StoragePolicy: Int, Hashable, Sendable, CaseIterable {
    /// No Message Stored.
    case none = 0
    /// Most Recent Message Stored.
    case mostRecent = 1
}

/// A broadcast channel at APNs.
struct Channel: Sendable {
    let id: String
    let bundleID: String
    let policy: StoragePolicy
    let createdAtMilliseconds: Int64
    /// Activities that follow it.
    var followers: [Int] = []
    /// Schemas that its followers decode by, without repetition.
    var schemas: [Int] = []
    /// The most recent message kept for offline devices, and until when.
    var stored: Message?
    var storedUntilMilliseconds: Int64 = 0
    /// Newest accepted message, whatever became of it.
    var newest: Message?
    var newestStampSeconds: Int64?
    var accepted = 0
    var hasEnded = false
    var bucket = Bucket()
    /// Message withheld by sabotage.
    var held: Message?

    init(id: String, bundleID: String, policy: StoragePolicy, nowMilliseconds: Int64) {
        self.id = id
        self.bundleID = bundleID
        self.policy = policy
        createdAtMilliseconds = nowMilliseconds
    }
}
