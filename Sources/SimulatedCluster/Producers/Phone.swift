internal import Cluster

/// A device that follows one instance of a name.
struct Phone: Sendable {
    var producer: Int
    var instance: Int
    /// APNs' index of the device and of the activity on it.
    var device: Int
    var activity: Int
    /// The token, for an activity.
    var token: [UInt8]?
    /// What the app calls the device, where the activity was started by push.
    var name: DeviceName?
    var isRegistered = false
    /// It registered when its instance was over.
    var isLate = false
    var isOnline = true
    /// APNs was told that the token is dead.
    var isDead = false
    /// APNs may hold an older message for it than the newest that it was given, or none at all: a stated limit, until
    /// the next message arrives.
    var mayBeBehind = false
    /// When APNs got the newest message for it.
    var lastArrival: Int64 = .min
}
