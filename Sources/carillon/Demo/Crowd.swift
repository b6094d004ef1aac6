internal import APNsSimulator
internal import CarillonClient
internal import Codes

/// The demo's devices: most are there from the start, some join late, some are offline for a while or to the end.
final class Crowd {
    private let plan: DemoPlan
    private let control: SimulatorControl
    private let channelID: String
    private let commentary: Commentary
    private var resting: Range<Int>
    private var sleeping: Range<Int>
    private var done: Set<String> = []

    init(_ plan: DemoPlan, _ control: SimulatorControl, channelID: String, _ commentary: Commentary) throws(Fault) {
        (self.plan, self.control, self.channelID, self.commentary) = (plan, control, channelID, commentary)
        let present = plan.channelDevices - plan.lateChannelDevices
        let devices = try control.addDevices(
            present, app: commentary.bundleID, .channel(channelID), schema: MatchPayload.attributesType
        ).devices
        let count = min(plan.offlineChannelDevices, present / 4)
        resting = devices.lowerBound..<devices.lowerBound + count
        sleeping = resting.upperBound..<resting.upperBound + count
        try join(plan.tokenDevices - plan.lateTokenDevices)
    }

    private func join(_ tokens: Int) throws(Fault) {
        guard tokens > 0 else { return }
        let added = try control.addDevices(
            tokens, app: commentary.bundleID, .activityTokens(), schema: MatchPayload.attributesType)
        let commentary = commentary
        _ = try Waiting.value { () async throws(Refusal) in
            try await commentary.register(added.tokens)
            return true
        }
    }

    /// Does what is due at this share of the match.
    func change(at share: Double) throws(Fault) {
        if share >= DemoPlan.goOffline, done.insert("offline").inserted {
            try control.setOnline(false, devices: resting)
            try control.setOnline(false, devices: sleeping)
        }
        if share >= DemoPlan.joinLate, done.insert("late").inserted {
            if plan.lateChannelDevices > 0 {
                try control.addDevices(
                    plan.lateChannelDevices, app: commentary.bundleID, .channel(channelID),
                    schema: MatchPayload.attributesType)
            }
            try join(plan.lateTokenDevices)
        }
        if share >= DemoPlan.comeBack, done.insert("back").inserted {
            try control.setOnline(true, devices: resting)
        }
    }

    /// Those that slept through the end wake up; the channel stores its newest message for them.
    func everybodyBack() throws(Fault) {
        try control.setOnline(true, devices: sleeping)
    }
}
