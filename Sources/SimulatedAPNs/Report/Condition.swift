public import LiveActivity

/// Something that may become true of what devices show; a test or a demo waits for it.
public struct Condition: Hashable, Sendable {
    /// Whose activities have to fulfil it; only those on devices that are online count.
    public enum Scope: Hashable, Sendable {
        /// Followers of one channel.
        case channel(String)
        /// Activities with tokens of one app.
        case tokens(bundleID: String)
        /// Every activity.
        case everything
    }

    /// What each of them has to show.
    public enum Demand: Hashable, Sendable {
        /// A stamp of at least so many seconds.
        case stampAtLeast(Int64)
        /// The newest stamp that APNs accepted for it.
        case newestStamp
        /// A content state with this member.
        case field(name: String, value: JSONValue)
        /// That it has ended.
        case ended
        /// At least so many rings.
        case rings(Int)
    }

    /// Whose.
    public var scope: Scope
    /// What.
    public var demand: Demand
    /// Least number of activities in the scope; below it the condition is not met.
    public var activitiesMin: Int

    /// Joins the parts of a condition.
    public init(_ scope: Scope, _ demand: Demand, activitiesMin: Int = 1) {
        self.scope = scope
        self.demand = demand
        self.activitiesMin = activitiesMin
    }
}

/// How far a condition is met.
public struct ConditionState: Hashable, Sendable {
    /// Activities that fulfil it.
    public var fulfilled: Int
    /// Activities that have to.
    public var total: Int
    /// Whether it is met.
    public var isMet: Bool
}

extension SimulatedAPNs {
    /// Looks how far a condition is met; goes over the activities of its scope.
    public func state(of condition: Condition) -> ConditionState {
        let indices: [Int] =
            switch condition.scope {
            case .channel(let id): channels[id]?.followers ?? []
            case .tokens(let bundle): activitiesByToken(of: bundle)
            case .everything: Array(activities.indices)
            }
        var judged: [UInt64: Bool] = [:]
        var state = ConditionState(fulfilled: 0, total: 0, isMet: false)
        for index in indices where devices[activities[index].device].isOnline {
            state.total += 1
            if fulfils(index, condition.demand, &judged) { state.fulfilled += 1 }
        }
        state.isMet = state.fulfilled == state.total && state.total >= condition.activitiesMin
        return state
    }

    private func fulfils(_ index: Int, _ demand: Condition.Demand, _ judged: inout [UInt64: Bool]) -> Bool {
        let activity = activities[index]
        switch demand {
        case .stampAtLeast(let seconds): return activity.stampSeconds.map { $0 >= seconds } ?? false
        case .newestStamp:
            guard let newest = newestStamp(for: index) else { return true }
            return activity.stampSeconds == newest
        case .ended: return activity.hasEnded
        case .rings(let count): return activity.rings >= count
        case .field(let name, let value):
            guard let shown = activity.shown else { return false }
            if let known = judged[shown.sequence] { return known }
            let fulfilled = parsed(shown.state)?[name] == value
            judged[shown.sequence] = fulfilled
            return fulfilled
        }
    }
}
