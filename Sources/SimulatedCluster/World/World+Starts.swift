internal import Cluster
internal import Delivery
internal import Wire

/// Activities that are started by push: tokens of devices, and what starts make on them.
extension World {
    /// How long a start is in any case on its way to its device when nothing is in the way, in milliseconds; and how
    /// long a device's token may take to be known on all nodes.
    private static var startMilliseconds: Int64 { 5_000 }

    /// The devices of a producer's user; one of them registers late.
    mutating func addStartDevices(_ producer: Int) {
        for number in 0..<2 {
            guard let made = apple.addStartDevice(attributesType: StartDevice.attributesType) else { return }
            let name = DeviceName(app: 0, user: StartDevice.user(producer), device: Array("d\(number)".utf8))
            startDevices.append(
                StartDevice(producer: producer, device: made.device, name: name, token: made.token))
            let wait = number == 0 ? dice.between(0, 500) : dice.between(0, 40_000)
            plan(.retry(.device(startDevices.count - 1)), after: 700 + wait)
        }
    }

    func input(origin: UInt64, registering index: Int) -> NodeInput {
        let device = startDevices[index]
        return .request(
            .registerDevice(
                DeviceTokenInput(
                    origin: origin, name: device.name,
                    destination: Destination(kind: .startToken, app: 0, address: device.token),
                    attributesType: StartDevice.attributesType)))
    }

    /// Starts have reached devices: there are activities, whose tokens the app registers after a while.
    mutating func takeStarted() {
        for start in apple.takeStarted() {
            guard let index = startDevices.firstIndex(where: { $0.device == start.device }),
                let mark = EventMark(in: Array("\"content-state\":".utf8) + apple.shown(activity: start.activity).state)
            else { return fail(.liveness, nil, "an activity began that nobody asked for") }
            trace(nil, "name \(mark.producer)#\(mark.instance) begins on a device")
            guard startDevices[index].phones[mark.instance] == nil else {
                return fail(.ringsOnce, nil, "name \(mark.producer)#\(mark.instance) began twice on a device")
            }
            report.starts += 1
            startDevices[index].phones[mark.instance] = phones.count
            let place = Destination(kind: .token, app: 0, address: start.token)
            audience[place, default: []].append(phones.count)
            phones.append(
                Phone(
                    producer: mark.producer, instance: mark.instance, device: start.device, activity: start.activity,
                    token: start.token, name: startDevices[index].name))
            plan(.retry(.register(phone: phones.count - 1)), after: dice.between(100, 3_000))
        }
    }

    // MARK: Checks

    /// What the cluster said that it has of devices is there, on all nodes that own something, because any of them may
    /// have to start.
    mutating func checkDeviceTokens() {
        for device in startDevices where device.registeredAt != nil && !device.isDead {
            for node in nodes.indices where owns(node) {
                let found = nodes[node].core.deviceToken(
                    of: device.name, .startToken, attributesType: StartDevice.attributesType)
                guard found?.address != device.token else { continue }
                let isKeeper = nodes[node].core.state.placement.owner(of: Shard.registry) == nodes[node].core.record?.id
                return fail(
                    isKeeper ? .acknowledgedIsCopied : .replicasAgree, node,
                    "a push-to-start token of name \(device.producer) was registered and is "
                        + (found == nil ? "not known" : "another one") + " here")
            }
        }
    }

    private func owns(_ node: Int) -> Bool {
        let id = nodes[node].core.record?.id
        return shards.contains { nodes[node].core.state.placement.owner(of: $0) == id }
    }

    /// Where nothing is in the way an acknowledged start arrives at every device whose token was registered before.
    mutating func checkStarts() {
        // Thousands of shards go on moving for long.
        guard !placesEveryShard else { return }
        for producer in producers where producer.startsByPush {
            for (instance, at) in producer.startedAt.sorted(by: { $0.key < $1.key }) {
                guard at >= options.chaosMilliseconds + Self.startMilliseconds, time >= at + Self.startMilliseconds,
                    producer.acknowledged[instance] != nil
                else { continue }
                // What ends before it has begun is not started.
                if let end = producer.endedAt[instance], end < at + Self.startMilliseconds { continue }
                for device in startDevices where device.producer == producer.index && !device.isDead {
                    guard let since = device.registeredAt, since + Self.startMilliseconds <= at else { continue }
                    report.startsOwed += 1
                    guard device.phones[instance] == nil else { continue }
                    return fail(
                        .lastStateArrives, nil,
                        "name \(producer.index)#\(instance) was acknowledged as started at \(at) ms and did not begin"
                            + " on a device that was registered at \(since) ms")
                }
            }
        }
    }
}
