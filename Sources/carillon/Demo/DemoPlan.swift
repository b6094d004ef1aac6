/// How large the demo is and when things happen in it.
struct DemoPlan {
    static let sabotages = ["drop-last", "reorder", "double-ring"]

    let seconds: Int
    let channelDevices: Int
    let tokenDevices: Int
    let offlinePercent: Int
    let latePercent: Int
    let sabotage: String?

    /// Devices that join when the match is half over.
    var lateChannelDevices: Int { channelDevices * latePercent / 100 }
    var lateTokenDevices: Int { tokenDevices * latePercent / 100 }
    /// Devices that are offline for a while; as many again are offline from then to after the end.
    var offlineChannelDevices: Int { channelDevices * offlinePercent / 200 }

    /// Shares of the match at which devices change.
    static let goOffline = 0.3
    static let joinLate = 0.5
    static let comeBack = 0.7
}
