/// What a device token is good for and whether it still lives.
struct PushToken: Sendable {
    enum Kind: Sendable, Hashable {
        /// Updates one activity.
        case update(activity: Int)
        /// Starts activities of one attributes type on a device.
        case start(device: Int, attributesType: String)
        /// Shows banners on a device.
        case ordinary(device: Int)
    }

    enum Life: Sendable, Hashable {
        case active
        /// 410 `Unregistered` with this time.
        case unregistered(sinceMilliseconds: Int64)
        /// 410 `ExpiredToken` with this time.
        case expired(sinceMilliseconds: Int64)
        /// Belongs to the other environment: `BadDeviceToken`.
        case foreign
    }

    let bundleID: String
    let kind: Kind
    var life = Life.active
    var bucket = Bucket()
    var newestStampSeconds: Int64?
    var accepted = 0
}

/// Pushes in a row that one destination takes.
struct Bucket: Sendable {
    private var spent = 0
    private var sinceMilliseconds: Int64 = 0

    /// Takes one push; false when there is no room.
    mutating func take(burst: Int, refillMilliseconds: Int64, nowMilliseconds: Int64) -> Bool {
        let refilled = refillMilliseconds > 0 ? (nowMilliseconds - sinceMilliseconds) / refillMilliseconds : 0
        if spent == 0 || refilled >= Int64(spent) {
            spent = 0
            sinceMilliseconds = nowMilliseconds
        } else if refilled > 0 {
            spent -= Int(refilled)
            sinceMilliseconds += refilled * refillMilliseconds
        }
        guard spent < burst else { return false }
        spent += 1
        return true
    }
}
