internal import Cluster

/// A device on which activities are started by push: it has a push-to-start token and no activity of its own accord.
struct StartDevice: Sendable {
    var producer: Int
    /// APNs' index of the device.
    var device: Int
    var name: DeviceName
    /// The push-to-start token.
    var token: [UInt8]
    /// When the cluster said that it has the token; nil: not yet.
    var registeredAt: Int64?
    /// APNs was told that the token is dead.
    var isDead = false
    /// The phone that each instance's start has made, by instance.
    var phones: [Int: Int] = [:]

    /// What the activities are called at APNs and in the app.
    static let attributesType = Array("Score".utf8)

    /// The user whose devices a producer's starts are for.
    static func user(_ producer: Int) -> [UInt8] { Array("u\(producer)".utf8) }
}
