import APNsSimulator
import CarillonClient
import LiveActivity
import Wire

/// A simulated phone whose app does what an app has to: reports its push-to-start token, and the update token of every
/// activity that was started by push.
struct Phone {
    let user: String
    let device: String
    /// Its place in the simulator.
    let index: Int
    let startToken: String

    /// Adds the phone to the simulator and registers its push-to-start token.
    init(_ trial: Trial, _ client: CarillonProducer, user: String, device: String, online: Bool = true) async throws {
        let added = try trial.control.addDevices(
            1, app: Trial.bundle, .startTokens(attributesType: "Score"), online: online)
        self.user = user
        self.device = device
        index = added.devices.lowerBound
        startToken = added.tokens.first ?? ""
        guard let token = PushToken(startToken) else { return }
        try await client.register(
            Registration(app: Trial.app, startToken: token, attributesType: "Score", user: user, device: device))
    }

    /// The counters that its activities show.
    func shown(_ trial: Trial) throws -> [Int64] {
        (try trial.control.device(index)["activities"]?.array ?? []).compactMap { $0["state"]?["counter"]?.integer }
    }

    func registration(_ target: Target, _ token: String, reason: Registration.Reason? = nil) -> Registration? {
        PushToken(token).map { Registration(target: target, token: $0, user: user, device: device, reason: reason) }
    }
}

extension Event {
    /// A start with the counter.
    static func start(
        _ target: Target, _ counter: Int, id: String, user: String, device: String = "", fallback: Bool = false
    ) -> Publish {
        let payload =
            #"{"aps":{"event":"start","attributes-type":"Score","attributes":{},"input-push-token":1,"#
            + #""content-state":{"counter":\#(counter)},"alert":{"title":"Match","body":"It begins"}}}"#
        return Publish(
            target: target, id: self.id(id), payload: Array(payload.utf8), event: .start, receipts: true, user: user,
            device: device, fallback: fallback)
    }
}
