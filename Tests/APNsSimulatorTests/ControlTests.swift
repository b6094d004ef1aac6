import APNsSimulator
import CLinux
import Codes
import HTTP2
import LiveActivity
import Loops
import SimulatedAPNs
import Testing

/// The control socket: every command, bad input, waiting.
@Suite struct ControlTests {
    private func code(_ body: () throws -> Void) -> Code? {
        do {
            try body()
            return nil
        } catch { return (error as? Fault)?.code }
    }

    @Test func devicesOfEveryKind() throws {
        let test = try TestSimulator()
        let bundle = TestSimulator.bundle
        let channel = try test.createChannel()
        let control = test.control
        #expect(try control.addDevices(3, app: bundle, .channel(channel), schema: "Match").devices == 0..<3)
        #expect(try control.addDevices(2, app: bundle, .channel(channel), online: false).devices == 3..<5)
        let tokens = try control.addDevices(2, app: bundle, .activityTokens(byteCount: 80)).tokens
        #expect(tokens.map(\.utf8.count) == [160, 160])
        #expect(try control.addDevices(1, app: bundle, .startTokens(attributesType: "Match")).tokens.count == 1)
        #expect(try control.addDevices(1, app: bundle, .ordinaryTokens).tokens.count == 1)
        #expect(try control.addDevices(1, app: bundle, .newChannels).devices == 9..<10)
        let second = try test.createChannel()
        #expect(try control.channel(second).shown.online == 1)
        let state = try control.state()
        #expect(state.devices == 10)
        #expect(state.devicesOnline == 8)
        #expect(state.channelCount == 2)
        #expect(state.channels.first?.shown.offline == 2)
        #expect(state.tokensByApp.first?.count == 2)
        #expect(try control.state(channelsMax: 1).channels.count == 1)
        #expect(try control.issuedTokens().isEmpty)
        #expect(try control.device(0)["online"]?.bool == true)
    }

    @Test func onlineAndOffline() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        try test.control.addDevices(10, app: TestSimulator.bundle, .channel(channel))
        #expect(try test.control.setOnline(false, channel: channel, count: 4) == 4)
        #expect(try test.control.channel(channel).shown.online == 6)
        #expect(try test.control.setOnline(true, channel: channel) == 4)
        try test.control.setOnline(false, devices: 2..<5)
        #expect(try test.control.state().devicesOnline == 7)
    }

    @Test func waiting() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        try test.control.addDevices(2, app: TestSimulator.bundle, .channel(channel), schema: "Match")
        let condition = Condition(.channel(channel), .stampAtLeast(5), activitiesMin: 2)
        #expect(code { try test.control.wait(condition, timeoutMilliseconds: 10) } == .simulatorWait)
        // One client waits while the message that it waits for comes in.
        let path = test.control.path
        let outcome = Lock<Result<Void, any Error>?>(nil)
        let thread = LoopThread(name: "waiter")
        thread.start {
            let result = Result {
                try SimulatorControl(path: path).wait(condition, timeoutMilliseconds: 10_000)
            }
            outcome.withLock { $0 = result }
        }
        let client = try test.connect()
        _ = try client.send(
            "POST", TestSimulator.broadcastPath, TestSimulator.broadcastFields(channel, try test.authorization()),
            body: TestSimulator.body(6, ball: 1))
        thread.join()
        #expect(throws: Never.self) { try outcome.withLock { $0 }?.get() }
        try test.control.wait(Condition(.channel(channel), .newestStamp), timeoutMilliseconds: 0)
        try test.control.wait(
            Condition(.channel(channel), .field(name: "ball", value: .integer(1))), timeoutMilliseconds: 0)
        #expect(
            code { try test.control.wait(Condition(.everything, .ended), timeoutMilliseconds: 0) } == .simulatorWait)
        #expect(
            code { try test.control.wait(Condition(.everything, .rings(1)), timeoutMilliseconds: 0) }
                == .simulatorWait)
    }

    @Test func refusedCommands() throws {
        let test = try TestSimulator()
        let control = test.control
        let cases: [(String, [JSONValue.Member], Code)] = [
            ("nothing", [], .simulatorCommand),
            ("device", [], .simulatorCommand),
            ("device", [.init("device", .integer(-1))], .simulatorCommand),
            ("device", [.init("device", .integer(7))], .simulatorUnknown),
            ("device", [.init("token", .string("ab"))], .simulatorUnknown),
            ("state", [.init("channel", .string("ab"))], .simulatorUnknown),
            ("add-devices", [.init("count", .integer(1))], .simulatorCommand),
            ("offline", [.init("channel", .string("x"))], .simulatorUnknown),
            ("online", [.init("first", .integer(0)), .init("count", .integer(3))], .simulatorUnknown),
            ("fault", [.init("sabotage", .string("x"))], .simulatorCommand),
            ("fault", [.init("burst_reason", .string("x"))], .simulatorCommand),
            ("fault", [.init("delay_ms", .string("x"))], .simulatorCommand),
            ("wait", [], .simulatorCommand),
            ("token-fate", [.init("token", .string("x")), .init("fate", .string("y"))], .simulatorCommand),
        ]
        for (command, members, expected) in cases {
            #expect(code { _ = try control.send(command, members) } == expected, "\(command)")
        }
        #expect(
            code { try control.addDevices(1, app: TestSimulator.bundle, .channel("AAAA")) } == .simulatorUnknown)
        #expect(code { try control.addDevices(1, app: "com.other", .ordinaryTokens) } == .simulatorUnknown)
        #expect(
            code { try control.addDevices(1_000_000, app: TestSimulator.bundle, .ordinaryTokens) } == .simulatorFull)
        #expect(code { try control.setFate(.expired, ofToken: "ab") } == .simulatorUnknown)
        #expect(try control.state().devices == 0)
    }

    @Test func faultsAreSwitched() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        let client = try test.connect()
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        try test.control.setFaults([.burst(2, .serviceUnavailable, retryAfterSeconds: 7)])
        let statuses = try (1...3).map {
            try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body($0, ball: 1)).status
        }
        #expect(statuses == [503, 503, 200])
        #expect(try test.control.state().refusedByReason == ["ServiceUnavailable": 2])
        try test.control.resetCounters()
        #expect(try test.control.state().counter("requests") == 0)
        try test.control.setFaults([
            .reorderMilliseconds(5), .lostOneIn(1), .sabotage(.dropLast), .delayMilliseconds(3), .unansweredOneIn(9),
        ])
        let answer = try test.control.send("fault")
        #expect(answer["sabotage"]?.string == "drop-last")
        #expect(answer["delay_ms"]?.integer == 3)
        try test.control.setFaults([.clear, .sabotage(nil)])
        let cleared = try test.control.send("fault")
        #expect(cleared["sabotage"]?.string == "none")
        #expect(cleared["unanswered_one_in"]?.integer == 0)
    }

    @Test func connectionsMisbehave() throws {
        let test = try TestSimulator()
        let channel = try test.control.createChannel(app: TestSimulator.bundle, policy: .mostRecent)
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        let client = try test.connect()
        let push = { (stamp: Int64) in
            try client.submit("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(stamp, ball: 1))
        }
        _ = try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(1, ball: 1))
        try client.wait("streams") { client.http.peerMaxConcurrentStreams > 1 }
        try test.control.setFaults([.streams(0)])
        try client.wait("no stream") { client.http.peerMaxConcurrentStreams == 0 }
        try test.control.setFaults([.streams(7)])
        try client.wait("seven streams") { client.http.peerMaxConcurrentStreams == 7 }
        try test.control.setFaults([.refusedOneIn(1)])
        let refused = try push(2)
        try client.wait("the reset") { client.failures[refused] != nil }
        #expect(client.failures[refused] == .unprocessed)
        #expect(try test.control.channel(channel).accepted == 1)
        try test.control.setFaults([.refusedOneIn(0), .cutAfter(1)])
        let cut = try push(3)
        try client.wait("the end") { client.isClosed }
        #expect(client.failures[cut] != nil && client.failures[cut] != .unprocessed)
        #expect(client.goAway == nil)
        #expect(try test.control.channel(channel).accepted == 2)
    }

    @Test func theSocketIsForItsOwnerOnly() throws {
        let test = try TestSimulator()
        var status = stat()
        #expect(lstat(test.control.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        for secret in [test.simulator.credentials.providerKeyPath, test.simulator.credentials.certificateKeyPath] {
            #expect(lstat(secret, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        var settings = SimulatorSettings(
            credentialsDirectory: test.directory + "/credentials", apps: [], controlPath: test.control.path)
        settings.seed = 2
        #expect(code { _ = try APNsSimulator(settings) } == .simulatorSocket)
        settings.controlPath = String(repeating: "x", count: 200)
        #expect(code { _ = try APNsSimulator(settings) } == .simulatorSocket)
        #expect(try test.control.state().devices == 0)
    }

    @Test func stopEndsTheSimulator() throws {
        let test = try TestSimulator()
        try test.control.stop()
        test.simulator.waitUntilStopped()
        #expect(code { _ = try SimulatorControl(path: test.control.path) } == .simulatorUnreachable)
        #expect(code { _ = try test.control.state() } == .simulatorUnreachable)
    }

    @Test func credentialsAreKept() throws {
        let test = try TestSimulator()
        let path = test.simulator.credentials.authorityPath
        let before = try TestFile.contents(path)
        try test.control.stop()
        test.simulator.waitUntilStopped()
        let settings = SimulatorSettings(credentialsDirectory: test.directory + "/credentials", apps: [])
        let again = try APNsSimulator(settings)
        again.start()
        again.stop()
        #expect(try TestFile.contents(path) == before)
    }
}
