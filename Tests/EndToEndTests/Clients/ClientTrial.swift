import APNsSimulator
import LiveActivity
import LocalCluster
import SimulatedAPNs

/// A simulator without a node, and what clients of others need to reach it.
final class ClientTrial {
    let trial: Trial
    /// A provider token as `carillon apns-simulator token` prints it.
    let token: String
    /// Update token of a device whose activity the tests look at.
    let deviceToken: String

    init() throws {
        trial = try Trial(startsNode: false)
        do {
            try trial.control.setFaults([.clear])
            let printed = try trial.run(["apns-simulator", "token"])
            token = String(printed.output.split(separator: "\n").first ?? "")
            deviceToken = try trial.control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score").tokens[
                0]
        } catch {
            trial.end()
            throw error
        }
    }

    func end() { trial.end() }

    static let topic = Trial.bundle + ".push-type.liveactivity"
    var authority: String { trial.cluster.simulatorCredentials.authorityPath }
    var directory: String { trial.cluster.directory }
    var devicePath: String { "/3/device/" + deviceToken }
    var sendPlace: String { "https://localhost:\(trial.cluster.sendPort)" }
    var managePlace: String { "https://localhost:\(trial.cluster.managePort)" }

    static func payload(_ counter: Int) -> String {
        """
        {"aps":{"timestamp":\(1_790_000_000 + counter),"event":"update","content-state":{"counter":\(counter)}}}
        """
    }

    /// What the device's activity shows.
    func shown() throws -> Int64? {
        try trial.control.device(ofToken: deviceToken)["activities"]?[0]?["state"]?["counter"]?.integer
    }

    /// Whether the device comes to show this.
    func shows(_ counter: Int) throws -> Bool { try eventually { try shown() == Int64(counter) } }

    /// The fields of a device push as curl, nghttp and h2load take them, `-H` before each.
    func fields(authorization: Bool = true) -> [String] {
        let fields =
            ["apns-topic: \(Self.topic)", "apns-push-type: liveactivity", "apns-priority: 10"]
            + (authorization ? ["authorization: bearer \(token)"] : [])
        return fields.flatMap { ["-H", $0] }
    }
}
