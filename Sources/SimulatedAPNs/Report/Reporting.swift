extension SimulatedAPNs {
    /// Describes the world; goes over all activities of at most `channelsMax` channels and all tokens.
    public func report(channelsMax: Int = 100) -> StateReport {
        var channelReports: [ChannelReport] = []
        for bundle in channelIDs.keys.sorted() {
            for id in channelIDs[bundle] ?? [] where channelReports.count < channelsMax {
                if let report = report(ofChannel: id) { channelReports.append(report) }
            }
        }
        return StateReport(
            devices: devices.count, devicesOnline: devices.reduce(0) { $0 + ($1.isOnline ? 1 : 0) },
            activities: activities.count, tokens: tokens.count, channelCount: channels.count,
            connections: connections.count, underWay: underWay.count, counters: counters, channels: channelReports,
            tokensByApp: apps.keys.sorted().compactMap(report(ofTokensOf:)))
    }

    /// Describes one channel; nil when there is none of this ID.
    public func report(ofChannel id: String) -> ChannelReport? {
        guard let channel = channels[id] else { return nil }
        return ChannelReport(
            id: id, bundleID: channel.bundleID, policy: channel.policy, accepted: channel.accepted,
            newestStampSeconds: channel.newestStampSeconds, hasEnded: channel.hasEnded,
            isStoring: channel.stored != nil, shown: shownStates(of: channel.followers))
    }

    private func report(ofTokensOf bundle: String) -> TokensReport? {
        let own = activitiesByToken(of: bundle)
        guard !own.isEmpty else { return nil }
        let accepted = own.reduce(0) { $0 + (token(of: $1)?.accepted ?? 0) }
        return TokensReport(
            bundleID: bundle, activityTokens: own.count, accepted: accepted, shown: shownStates(of: own))
    }

    /// Describes one activity; nil when there is none of this index.
    public func report(ofActivity index: Int) -> ActivityReport? {
        guard activities.indices.contains(index) else { return nil }
        let activity = activities[index]
        var channelID: String?
        if case .channel(let id) = activity.way { channelID = id }
        return ActivityReport(
            index: index, device: activity.device, isOnline: devices[activity.device].isOnline,
            bundleID: activity.bundleID, channelID: channelID, hasEnded: activity.hasEnded,
            stampSeconds: activity.stampSeconds, shownAtMilliseconds: activity.shownAtMilliseconds,
            state: activity.shown?.state ?? [], rings: activity.rings, rangTwice: activity.rangTwice,
            wentBack: activity.wentBack, decodeFailures: activity.decodeFailures, history: activity.history)
    }

    /// A device; nil when there is none of this index.
    public func device(_ index: Int) -> Device? { devices.indices.contains(index) ? devices[index] : nil }

    /// Index of the activity that an update token belongs to; nil for other tokens.
    public func activity(ofToken text: String) -> Int? {
        guard case .update(let index)? = tokens[text]?.kind else { return nil }
        return index
    }

    /// Update tokens that activities started by push were given, oldest first.
    public var tokensIssuedByStarts: [String] { issuedTokens }

    func activitiesByToken(of bundle: String) -> [Int] {
        activities.indices.filter { index in
            guard activities[index].bundleID == bundle else { return false }
            if case .token = activities[index].way { return true }
            return false
        }
    }

    func token(of index: Int) -> PushToken? {
        guard case .token(let text) = activities[index].way else { return nil }
        return tokens[text]
    }

    /// Newest stamp that APNs accepted for an activity.
    func newestStamp(for index: Int) -> Int64? {
        switch activities[index].way {
        case .token(let text): tokens[text]?.newestStampSeconds
        case .channel(let id): channels[id]?.newestStampSeconds
        }
    }

    private struct Key: Hashable {
        let stamp: Int64?
        let hash: UInt64
    }

    private func shownStates(of indices: [Int]) -> ShownStates {
        var states = ShownStates()
        var groups: [Key: ShownStates.Group] = [:]
        var newest: Message?
        for index in indices {
            let activity = activities[index]
            let isOnline = devices[activity.device].isOnline
            let key = Key(stamp: activity.stampSeconds, hash: activity.shown?.stateHash ?? 0)
            var group =
                groups[key]
                ?? ShownStates.Group(
                    stampSeconds: key.stamp, stateHash: key.hash, online: 0, offline: 0, ended: 0)
            if isOnline { group.online += 1 } else { group.offline += 1 }
            if activity.hasEnded { group.ended += 1 }
            groups[key] = group
            if isOnline, activity.stampSeconds == newestStamp(for: index) { states.currentOnline += 1 }
            if let shown = activity.shown, shown.sequence > newest?.sequence ?? 0 { newest = shown }
        }
        let sorted = groups.values.sorted {
            ($0.stampSeconds ?? .min, $0.stateHash) > ($1.stampSeconds ?? .min, $1.stateHash)
        }
        states.online = sorted.reduce(0) { $0 + $1.online }
        states.offline = sorted.reduce(0) { $0 + $1.offline }
        states.ended = sorted.reduce(0) { $0 + $1.ended }
        states.groups = Array(sorted.prefix(ShownStates.groupsMax))
        states.others = sorted.dropFirst(ShownStates.groupsMax).reduce(0) { $0 + $1.online + $1.offline }
        states.newestState = newest?.state ?? []
        return states
    }
}

extension SimulatedAPNs {
    /// The first `count` devices that follow a channel and are not online (`online` true) or not offline (false); nil
    /// when there is no such channel.
    public func devices(ofChannel id: String, online: Bool, count: Int) -> [Int]? {
        guard let channel = channels[id] else { return nil }
        return Array(
            channel.followers.lazy.map { activities[$0].device }.filter { devices[$0].isOnline != online }.prefix(
                max(0, count)))
    }
}
