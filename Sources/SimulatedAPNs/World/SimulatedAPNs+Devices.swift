/// Why a device, activity or token cannot be added.
public enum PopulationFault: Error, Hashable, Sendable {
    /// No app of this bundle ID.
    case unknownApp
    /// No channel of this ID in the app.
    case unknownChannel
    /// No schema of this name.
    case unknownSchema
    /// No device of this index.
    case unknownDevice
    /// No token like this.
    case unknownToken
    /// A bound of `Limits` is reached.
    case full
}

extension SimulatedAPNs {
    /// Adds an app to the account, or changes it.
    public mutating func add(_ app: SimulatedApp) throws(PopulationFault) {
        guard apps[app.bundleID] != nil || apps.count < Limits.apps else { throw .full }
        apps[app.bundleID] = app
    }

    /// Adds a provider key to the account, or changes it.
    public mutating func add(_ key: ProviderKey) throws(PopulationFault) {
        guard keys[key.id] != nil || keys.count < Limits.keys else { throw .full }
        keys[key.id] = key
    }

    /// Adds devices without activities; returns their indices.
    public mutating func addDevices(_ count: Int, online: Bool = true) throws(PopulationFault) -> Range<Int> {
        guard count >= 0, count <= Limits.devices - devices.count else { throw .full }
        let first = devices.count
        devices.append(contentsOf: repeatElement(Device(isOnline: online), count: count))
        return first..<devices.count
    }

    /// Starts an activity on a device that follows a channel; returns its index. As on a real device the start fails
    /// when the channel does not exist (Docs/APNs.md 5.7).
    @discardableResult
    public mutating func follow(
        channel id: String, bundleID: String, device: Int, schema: String? = nil, nowMilliseconds: Int64
    ) throws(PopulationFault) -> Int {
        guard channels[id]?.bundleID == bundleID else { throw .unknownChannel }
        let index = try schemaIndex(orNil: schema)
        guard devices.indices.contains(device) else { throw .unknownDevice }
        let activity = Activity(device: device, bundleID: bundleID, way: .channel(id), schema: index)
        guard let added = add(activity, nowMilliseconds) else { throw .full }
        return added
    }

    /// Adds a channel as if somebody else had created it; returns its ID, a random one unless given.
    public mutating func addChannel(
        id given: String? = nil, bundleID: String, policy: StoragePolicy, nowMilliseconds: Int64
    ) throws(PopulationFault) -> String {
        guard let app = apps[bundleID] else { throw .unknownApp }
        let id = given ?? random.channelID()
        guard channelIDs[bundleID]?.count ?? 0 < app.channelsMax, channels[id] == nil else { throw .full }
        channels[id] = Channel(id: id, bundleID: bundleID, policy: policy, nowMilliseconds: nowMilliseconds)
        channelIDs[bundleID, default: []].append(id)
        followAtOnce(id, bundleID, nowMilliseconds)
        return id
    }

    /// Lets devices follow every channel that is created for an app from now on, as if its app started an activity for
    /// each.
    public mutating func followNewChannels(
        of bundleID: String, devices range: Range<Int>, schema: String? = nil
    ) throws(PopulationFault) {
        guard apps[bundleID] != nil else { throw .unknownApp }
        guard range.lowerBound >= 0, range.upperBound <= devices.count else { throw .unknownDevice }
        guard standing.count < Limits.standingFollowers else { throw .full }
        standing.append(StandingFollowers(bundleID: bundleID, devices: range, schema: try schemaIndex(orNil: schema)))
    }

    /// A channel was created: those who wait for one follow it.
    mutating func followAtOnce(_ id: String, _ bundleID: String, _ now: Int64) {
        for group in standing where group.bundleID == bundleID {
            for device in group.devices {
                _ = add(
                    Activity(device: device, bundleID: bundleID, way: .channel(id), schema: group.schema), now)
            }
        }
    }

    /// Starts an activity on a device that has an update token of its own; returns the token.
    public mutating func addActivityToken(
        bundleID: String, device: Int, schema: String? = nil, byteCount: Int = 32, nowMilliseconds: Int64
    ) throws(PopulationFault) -> String {
        let index = try schemaIndex(orNil: schema)
        let token = try newToken(bundleID, device, byteCount)
        let activity = Activity(device: device, bundleID: bundleID, way: .token(token), schema: index)
        guard add(activity, nowMilliseconds) != nil else { throw .full }
        return token
    }

    /// Gives a device a push-to-start token for one attributes type (80 bytes as seen, Docs/APNs.md 3.1).
    public mutating func addStartToken(
        bundleID: String, device: Int, attributesType: String, byteCount: Int = 80
    ) throws(PopulationFault) -> String {
        let token = try newToken(bundleID, device, byteCount)
        tokens[token] = PushToken(bundleID: bundleID, kind: .start(device: device, attributesType: attributesType))
        return token
    }

    /// Gives a device an ordinary token.
    public mutating func addOrdinaryToken(
        bundleID: String, device: Int, byteCount: Int = 32
    ) throws(PopulationFault) -> String {
        let token = try newToken(bundleID, device, byteCount)
        tokens[token] = PushToken(bundleID: bundleID, kind: .ordinary(device: device))
        return token
    }

    /// What becomes of a token.
    public enum TokenFate: Hashable, Sendable {
        /// Works again.
        case active
        /// 410 `Unregistered` from now on.
        case unregistered
        /// 410 `ExpiredToken` from now on.
        case expired
        /// `BadDeviceToken`: belongs to the other environment.
        case otherEnvironment
    }

    /// Changes the life of a token.
    public mutating func setFate(
        _ fate: TokenFate, ofToken token: String, nowMilliseconds: Int64
    ) throws(PopulationFault) {
        guard tokens[token] != nil else { throw .unknownToken }
        switch fate {
        case .active: tokens[token]?.life = .active
        case .unregistered: tokens[token]?.life = .unregistered(sinceMilliseconds: nowMilliseconds)
        case .expired: tokens[token]?.life = .expired(sinceMilliseconds: nowMilliseconds)
        case .otherEnvironment: tokens[token]?.life = .foreign
        }
    }

    /// Takes a device on or off the network. What APNs stored for it arrives at once.
    public mutating func setOnline(_ online: Bool, device: Int, nowMilliseconds now: Int64) throws(PopulationFault) {
        guard devices.indices.contains(device) else { throw .unknownDevice }
        let wasOnline = devices[device].isOnline
        devices[device].isOnline = online
        guard online, !wasOnline else { return }
        let stored = devices[device].stored
        devices[device].stored = []
        for push in stored {
            if push.untilMilliseconds > now {
                dispatch(push.delivery, now)
            } else {
                counters.storedExpired += 1
            }
        }
        for index in devices[device].activities { offerStored(to: index, now) }
    }

    private mutating func offerStored(to index: Int, _ now: Int64) {
        guard case .channel(let id) = activities[index].way, let channel = channels[id], let stored = channel.stored,
            activities[index].offered < stored.sequence
        else { return }
        activities[index].offered = stored.sequence
        if channel.storedUntilMilliseconds > now {
            dispatch(Delivery(target: .activity(index), message: stored), now)
        } else {
            counters.storedExpired += 1
        }
    }

    /// Puts an activity into the world and on its device; nil when there is no room.
    mutating func add(_ activity: Activity, _ now: Int64) -> Int? {
        guard activities.count < Limits.activities,
            devices[activity.device].activities.count < Limits.activitiesPerDevice
        else { return nil }
        let index = activities.count
        activities.append(activity)
        devices[activity.device].activities.append(index)
        switch activity.way {
        case .token(let token):
            tokens[token] = PushToken(bundleID: activity.bundleID, kind: .update(activity: index))
        case .channel(let id): join(index, id, activity.schema, now)
        }
        return index
    }

    private mutating func join(_ index: Int, _ id: String, _ schema: Int?, _ now: Int64) {
        channels[id]?.followers.append(index)
        if let schema, channels[id]?.schemas.contains(schema) == false {
            channels[id]?.schemas.append(schema)
            if let stored = channels[id]?.stored {
                let judged = stored.judged(by: verdict(schema, stored.state, false))
                channels[id]?.stored = judged
            }
        }
        if rules.readings.lateJoinersGetStoredMessage, devices[activities[index].device].isOnline {
            offerStored(to: index, now)
        } else if !rules.readings.lateJoinersGetStoredMessage {
            activities[index].offered = sequence
        }
    }

    private mutating func newToken(_ bundle: String, _ device: Int, _ byteCount: Int) throws(PopulationFault) -> String
    {
        guard apps[bundle] != nil else { throw .unknownApp }
        guard devices.indices.contains(device) else { throw .unknownDevice }
        guard tokens.count < Limits.tokens, Limits.tokenBytes.contains(byteCount) else { throw .full }
        return random.deviceToken(byteCount: byteCount)
    }

    private func schemaIndex(orNil name: String?) throws(PopulationFault) -> Int? {
        guard let name else { return nil }
        guard let index = schemaIndex(name) else { throw .unknownSchema }
        return index
    }
}

/// Devices that follow every new channel of an app.
struct StandingFollowers: Sendable {
    let bundleID: String
    let devices: Range<Int>
    let schema: Int?
}
