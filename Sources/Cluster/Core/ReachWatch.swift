import Delivery

/// Whether this node is cut off from APNs while it may still reach its peers; then others should own what it owns.
///
/// What is lost must stay lost for a while before anybody is told, and what is found again must stay, so that a way
/// that comes and goes does not move shards to and fro.
struct ReachWatch: Sendable {
    private let lostMilliseconds: Int64
    private let foundMilliseconds: Int64
    private var reach = Reach.idle
    /// When APNs was reached again, in milliseconds since boot.
    private var foundAt = Int64.min
    private(set) var isCutOff = false

    /// `lost`: how long APNs is out of reach before the node counts as cut off; `found`: how long it is reached before
    /// the node does not any more. In milliseconds.
    init(lost: Int64, found: Int64) {
        lostMilliseconds = lost
        foundMilliseconds = found
    }

    /// When `advance` would change its mind, in milliseconds since boot; nil when nothing is to be awaited.
    var nextDeadline: Int64? {
        switch reach {
        case .lost(let since): isCutOff ? nil : since + lostMilliseconds
        case .reached, .idle: isCutOff ? foundAt + foundMilliseconds : nil
        }
    }

    /// Takes what the pools see now.
    mutating func take(_ next: Reach, now: Int64) {
        if case .lost = reach {
            if case .lost = next {} else { foundAt = now }
        }
        reach = next
    }

    /// True when `isCutOff` has changed.
    mutating func advance(now: Int64) -> Bool {
        guard let deadline = nextDeadline, now >= deadline else { return false }
        isCutOff.toggle()
        return true
    }
}
