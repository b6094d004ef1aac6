/// How large the demo is and when things happen in it.
struct DemoPlan {
    static let sabotages = ["drop-last", "reorder", "double-ring"]

    let seconds: Int
    let channelDevices: Int
    let tokenDevices: Int
    let offlinePercent: Int
    let latePercent: Int
    let sabotage: String?
    /// Whether the owner of the channel is killed on the way.
    var kills = true

    /// Devices that join when the match is half over.
    var lateChannelDevices: Int { channelDevices * latePercent / 100 }
    var lateTokenDevices: Int { tokenDevices * latePercent / 100 }
    /// Devices that are offline for a while; as many again are offline from then to after the end.
    var offlineChannelDevices: Int { channelDevices * offlinePercent / 200 }

    /// Shares of the match at which devices change.
    static let goOffline = 0.3
    static let joinLate = 0.5
    static let comeBack = 0.7

    /// After how many balls the owner is killed: in the middle of the second innings.
    static func turn(of balls: [Ball]) -> Int {
        let first = balls.prefix { $0.innings == 1 }.count
        return first + (balls.count - first) / 2
    }
}
