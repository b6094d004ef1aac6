internal import CLinux
internal import Codes
internal import LiveActivity
internal import Loops
internal import SimulatedAPNs

extension SimulatorLoop {
    func acceptControlClients() {
        while let (number, descriptor) = control?.accept() {
            poller.add(descriptor, tag: Tag.control(number))
        }
    }

    func serveControl(_ number: UInt64) {
        guard control?.read(number) == true, control?.flush(number) == true else { return dropControl(number) }
        executeLines(number)
    }

    /// Carries out the commands that a client has sent, until one has to wait.
    private func executeLines(_ number: UInt64) {
        while let line = control?.nextLine(number) {
            let answer: JSONValue?
            do throws(Fault) {
                answer = try execute(try ControlCommand(line), from: number)
            } catch { answer = .failure(error) }
            guard let answer else { continue }
            guard control?.answer(number, answer) == true else { return dropControl(number) }
            updateInterest(number)
        }
        carryOut()
    }

    private func updateInterest(_ number: UInt64) {
        guard let client = control?.clients[number] else { return }
        poller.change(client.descriptor, tag: Tag.control(number), writable: !client.output.isEmpty)
    }

    private func dropControl(_ number: UInt64) {
        guard let descriptor = control?.clients[number]?.descriptor else { return }
        poller.remove(descriptor)
        control?.drop(number)
    }

    // MARK: - Waiting

    /// Answers the waiting clients whose condition is met or whose time is up.
    func settleWaits(_ boot: Int64) {
        guard let control, control.hasWaits else { return }
        for number in control.clients.keys.sorted() {
            guard let wait = control.clients[number]?.wait, isChanged || wait.until <= boot else { continue }
            let state = world.state(of: wait.condition)
            guard state.isMet || wait.until <= boot else { continue }
            self.control?.clients[number]?.wait = nil
            let answer: JSONValue =
                state.isMet
                ? .success(ControlReport.condition(state))
                : .failure(Fault(.simulatorWait, "\(state.fulfilled) of \(state.total) activities"))
            guard self.control?.answer(number, answer) == true else {
                dropControl(number)
                continue
            }
            updateInterest(number)
            executeLines(number)
        }
        isChanged = false
    }

    // MARK: - Commands

    /// Carries out a command; nil when its answer comes later.
    private func execute(_ command: ControlCommand, from number: UInt64) throws(Fault) -> JSONValue? {
        let now = Clock.wallMilliseconds()
        isChanged = true
        switch command {
        case .state(let channel, let limit): return .success(try state(channel, limit))
        case .device(let lookup): return .success(try device(lookup))
        case .addDevices(let order): return .success(try addDevices(order, now))
        case .createChannel(let bundle, let policy):
            let id = try population { () throws(PopulationFault) in
                try world.addChannel(bundleID: bundle, policy: policy, nowMilliseconds: now)
            }
            return .success([JSONValue.Member("channel", .string(id))])
        case .setOnline(let online, let selection):
            let devices = try select(selection)
            try population { () throws(PopulationFault) in
                for device in devices { try world.setOnline(online, device: device, nowMilliseconds: now) }
            }
            return .success([JSONValue.Member("devices", .integer(Int64(devices.count)))])
        case .tokenFate(let token, let fate):
            try population { () throws(PopulationFault) in
                try world.setFate(fate, ofToken: token, nowMilliseconds: now)
            }
            return .success([])
        case .fault(let change):
            change.apply(to: &world.faults, delay: &answerDelayMilliseconds)
            world.announceStreams(into: &effects)
            return .success(ControlReport.faults(world.faults, answerDelayMilliseconds))
        case .rules(let change):
            change.apply(to: &world.rules, initial: initialRules)
            world.announceStreams(into: &effects)
            return .success(ControlReport.rules(world.rules))
        case .addApp(let app):
            try population { () throws(PopulationFault) in try world.add(app) }
            return .success([])
        case .addKey(let key):
            let path = try addKey(key)
            return .success([JSONValue.Member("key_file", .string(path))])
        case .tokens:
            return .success([JSONValue.Member("tokens", .array(world.tokensIssuedByStarts.map { .string($0) }))])
        case .wait(let condition, let timeout):
            let state = world.state(of: condition)
            if state.isMet { return .success(ControlReport.condition(state)) }
            control?.clients[number]?.wait = ControlServer.Wait(
                condition: condition, until: Clock.bootMilliseconds() + timeout)
            return nil
        case .resetCounters:
            world.resetCounters()
            return .success([])
        case .stop:
            requestStop()
            return .success([])
        }
    }

    /// Makes a provider key; its secret half goes into the credentials directory, never over the socket.
    private func addKey(_ key: ProviderKey) throws(Fault) -> String {
        let path = credentials.providerKeyPath(of: key.id)
        guard !fileExists(path) else { throw Fault(.simulatorCredentials, "there is a key of this ID", at: path) }
        let secret = try SimulatorCredentials.makeProviderKey()
        try population { () throws(PopulationFault) in try world.add(key) }
        try verifier.add(SimulatorKey(key, publicKeyPEM: SimulatorCredentials.publicKeyPEM(ofPrivate: secret)))
        try writeFile(path, secret, mode: 0o600)
        return path
    }

    /// Changes the world as a whole or not at all.
    private func population<Result>(_ body: () throws(PopulationFault) -> Result) throws(Fault) -> Result {
        let before = world
        do throws(PopulationFault) { return try body() } catch {
            world = before
            throw fault(error, "")
        }
    }

    private func state(_ channel: String?, _ limit: Int) throws(Fault) -> [JSONValue.Member] {
        guard let channel else { return ControlReport.state(world.report(channelsMax: limit)) }
        guard let report = world.report(ofChannel: channel) else { throw fault(.unknownChannel, "channel") }
        return ControlReport.channel(report)
    }

    private func device(_ lookup: ControlCommand.Lookup) throws(Fault) -> [JSONValue.Member] {
        let index: Int
        switch lookup {
        case .device(let device): index = device
        case .token(let token):
            guard let activity = world.activity(ofToken: token), let report = world.report(ofActivity: activity)
            else { throw fault(.unknownToken, "token") }
            index = report.device
        }
        guard let device = world.device(index) else { throw fault(.unknownDevice, "device") }
        return ControlReport.device(
            index, device, device.activities.compactMap { world.report(ofActivity: $0) })
    }

    private func addDevices(_ order: ControlCommand.DeviceOrder, _ now: Int64) throws(Fault) -> [JSONValue.Member] {
        try population { () throws(PopulationFault) in
            var tokens: [JSONValue] = []
            let devices = try world.addDevices(order.count, online: order.online)
            for device in devices {
                switch order.way {
                case .nothing, .newChannels: break
                case .channel(let id):
                    try world.follow(
                        channel: id, bundleID: order.bundleID, device: device, schema: order.schema,
                        nowMilliseconds: now)
                case .activityTokens(let byteCount):
                    tokens.append(
                        .string(
                            try world.addActivityToken(
                                bundleID: order.bundleID, device: device, schema: order.schema,
                                byteCount: byteCount, nowMilliseconds: now)))
                case .startTokens(let type):
                    tokens.append(
                        .string(
                            try world.addStartToken(
                                bundleID: order.bundleID, device: device, attributesType: type)))
                case .ordinaryTokens:
                    tokens.append(.string(try world.addOrdinaryToken(bundleID: order.bundleID, device: device)))
                }
            }
            if order.way == .newChannels {
                try world.followNewChannels(of: order.bundleID, devices: devices, schema: order.schema)
            }
            return [
                JSONValue.Member("first", .integer(Int64(devices.lowerBound))),
                JSONValue.Member("count", .integer(Int64(devices.count))),
                JSONValue.Member("tokens", .array(tokens)),
            ]
        }
    }

    /// Devices that a selection names, in order.
    private func select(_ selection: ControlCommand.Selection) throws(Fault) -> [Int] {
        switch selection {
        case .range(let range): return Array(range)
        case .ofChannel(let id, let count, let online):
            guard let devices = world.devices(ofChannel: id, online: online, count: count) else {
                throw fault(.unknownChannel, "channel")
            }
            return devices
        }
    }
}
