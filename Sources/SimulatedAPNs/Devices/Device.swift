/// A simulated iPhone: reachable or not, with activities and what APNs keeps for it.
public struct Device: Sendable {
    /// Whether messages reach it.
    public internal(set) var isOnline: Bool
    /// Its activities, as indices of the world; at most `Limits.activitiesPerDevice`.
    public internal(set) var activities: [Int] = []
    /// Alerts shown to an ordinary token.
    public internal(set) var banners = 0
    /// APNs keeps one device push per bundle ID (Docs/APNs.md section 6).
    var stored: [StoredPush] = []

    init(isOnline: Bool) { self.isOnline = isOnline }
}

/// A device push that waits at APNs for its device.
struct StoredPush: Sendable {
    let bundleID: String
    let delivery: Delivery
    let untilMilliseconds: Int64
}

/// A message on its way to a place on a device.
struct Delivery: Sendable {
    /// Where on the device a message goes.
    enum Target: Sendable, Hashable {
        /// An activity of the world.
        case activity(Int)
        /// A new activity on the device of this push-to-start token.
        case start(token: String)
        /// The banner of the device.
        case banner(device: Int)
    }

    let target: Target
    let message: Message
    /// What a start brings besides its content state.
    var start: StartOrder?
}
