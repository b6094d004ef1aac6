import SimulatedAPNs
import Testing

/// What APNs remembers of a connection: streams, provider tokens, keys, GOAWAY.
@Suite struct ConnectionTests {
    private func limits(_ world: TestWorld) -> [Int] {
        world.effects.compactMap { effect in
            if case .setMaxConcurrentStreams(1, let count) = effect { count } else { nil }
        }
    }

    private func goAways(_ world: TestWorld) -> [Effect] {
        world.effects.filter { if case .goAway = $0 { true } else { false } }
    }

    @Test func oneStreamUntilAValidToken() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        for credential: Credential in [.missing, .malformed, TestWorld.credential(verdict: .bad)] {
            _ = world.send(TestWorld.broadcastFields(channel), body: "{}", credential: credential)
        }
        #expect(limits(world).isEmpty)
        // A valid token does not help a request that is refused for another reason.
        _ = world.send(TestWorld.broadcastFields("!"), body: "{}")
        #expect(limits(world).isEmpty)
        world.broadcast(channel, TestWorld.body(0, ball: 0))
        #expect(limits(world) == [1000])
        world.apns.rules.readings.errorsShrinkStreams = false
        world.apns.open(connection: 3, on: .send, nowMilliseconds: world.now)
        _ = world.send(TestWorld.broadcastFields("!"), body: "{}", on: 3)
        #expect(world.effects.last == .setMaxConcurrentStreams(connection: 3, 1000))
    }

    @Test func errorsShrinkStreamsByReading() throws {
        var rules = Rules(streamsMax: 500)
        rules.readings.errorsShrinkStreams = true
        var world = try TestWorld(rules: rules)
        let holder = try world.holder()
        world.push(holder.token, TestWorld.body(0, ball: 0))
        world.push(String(repeating: "0", count: 64), TestWorld.body(0, ball: 0))
        try world.apns.setFate(.unregistered, ofToken: holder.token, nowMilliseconds: world.now)
        world.push(holder.token, TestWorld.body(1, ball: 1))
        try world.apns.setFate(.active, ofToken: holder.token, nowMilliseconds: world.now)
        world.push(holder.token, TestWorld.body(1, ball: 1))
        #expect(limits(world) == [500, 1, 500])
    }

    /// 410 and what a burst refuses do not count, a dead token counts tenfold, a success takes one off.
    @Test func errorsAddUp() throws {
        var world = try TestWorld(rules: Rules(errorsMax: 21))
        let holder = try world.holder()
        let dead = String(repeating: "0", count: 64)
        #expect(world.push(dead, TestWorld.body(0, ball: 0)) == 400)
        #expect(world.push(holder.token, TestWorld.body(0, ball: 0)) == 200)
        world.apns.faults = Faults(burstRemaining: 50)
        for _ in 0..<50 { #expect(world.push(holder.token, TestWorld.body(1, ball: 1)) == 429) }
        try world.apns.setFate(.expired, ofToken: holder.token, nowMilliseconds: world.now)
        for _ in 0..<50 { #expect(world.push(holder.token, TestWorld.body(1, ball: 1)) == 410) }
        #expect(world.push(dead, TestWorld.body(1, ball: 1)) == 400)
        #expect(world.send(TestWorld.deviceFields(""), body: "{}")?.status == 400)
        #expect(goAways(world).isEmpty)
        let last = world.nextStream
        #expect(world.send(TestWorld.deviceFields(""), body: "{}")?.status == 400)
        #expect(goAways(world) == [.goAway(connection: 1, lastStream: last, debugData: "")])
        #expect(world.push(holder.token, TestWorld.body(2, ball: 2)) == nil)
    }

    @Test func aBadCertificateMayEndTheConnection() throws {
        var rules = Rules()
        rules.readings.certificateTroubleIsGoAway = true
        var world = try TestWorld(rules: rules)
        let certificates: [(ClientCertificate, String?)] = [
            (ClientCertificate(isValid: true, environments: [.sandbox], topics: []), nil),
            (ClientCertificate(isValid: false, environments: [.sandbox], topics: []), "BadCertificate"),
            (ClientCertificate(isValid: true, environments: [.production], topics: []), "BadCertificateEnvironment"),
        ]
        for (number, (certificate, reason)) in certificates.enumerated() {
            let number = UInt64(number) + 20
            world.effects = []
            world.apns.open(
                connection: number, on: .send, certificate: certificate, nowMilliseconds: world.now,
                into: &world.effects)
            let expected: Effect =
                reason.map { .goAway(connection: number, lastStream: 0, debugData: "{\"reason\":\"\($0)\"}") }
                ?? .setMaxConcurrentStreams(connection: number, 1000)
            #expect(world.effects == [expected])
        }
    }

    @Test func tokensChangeAtMostEveryTwentyMinutes() throws {
        var world = try TestWorld()
        let fields = TestWorld.broadcastFields(world.createChannel())
        let ask = { (world: inout TestWorld, serial: UInt64) -> String? in
            TestWorld.reason(
                world.send(
                    fields, body: TestWorld.body(0, ball: 0),
                    credential: TestWorld.credential(serial: serial, issued: world.now / 1000)))
        }
        #expect(ask(&world, 1) == nil)
        world.now += 20 * 60_000 - 1
        #expect(ask(&world, 2) == "TooManyProviderTokenUpdates")
        #expect(ask(&world, 1) == nil)
        world.now += 1
        #expect(ask(&world, 2) == nil)
        #expect(ask(&world, 1) == "TooManyProviderTokenUpdates")
    }

    @Test func aTokenExpiresAfterAnHour() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        #expect(world.broadcast(channel, TestWorld.body(0, ball: 0)) == 200)
        world.now += 3_600_000
        #expect(world.broadcast(channel, TestWorld.body(1, ball: 1)) == 200)
        world.now += 1000
        #expect(world.broadcast(channel, TestWorld.body(2, ball: 2)) == 403)
    }

    @Test func keyScopes() throws {
        let team = TestWorld.team
        var world = try TestWorld(
            apps: [
                SimulatedApp(bundleID: TestWorld.bundle, teamID: team),
                SimulatedApp(bundleID: "com.example.other", teamID: team),
            ],
            keys: [
                ProviderKey(id: "CLASSIC", teamID: team), ProviderKey(id: "TEAM", teamID: team, scope: .team(.sandbox)),
                ProviderKey(id: "FOREIGN", teamID: team, scope: .team(.production)),
                ProviderKey(
                    id: "TOPIC", teamID: team, scope: .topics(.sandbox, [TestWorld.bundle], related: "RELATED")),
                ProviderKey(id: "RELATED", teamID: team, scope: .topics(.sandbox, [TestWorld.bundle], related: nil)),
            ])
        var connection: UInt64 = 10
        let ask = { (world: inout TestWorld, keys: [String], bundle: String) -> [String?] in
            connection += 1
            world.apns.open(connection: connection, on: .manage, nowMilliseconds: world.now)
            return keys.map { key in
                // Twenty minutes apart, so that only the scope decides.
                world.now += 20 * 60_000
                let credential = TestWorld.credential(
                    serial: UInt64(world.now), key: key, issued: world.now / 1000)
                return TestWorld.reason(
                    world.send(
                        [(":method", "GET"), (":path", "/1/apps/\(bundle)/all-channels")], on: connection,
                        credential: credential))
            }
        }
        #expect(ask(&world, ["FOREIGN"], TestWorld.bundle) == ["BadEnvironmentKeyIdInToken"])
        #expect(ask(&world, ["TOPIC"], "com.example.other") == ["TopicMismatch"])
        #expect(ask(&world, ["TEAM", "TOPIC"], TestWorld.bundle) == [nil, "UnrelatedKeyIdInToken"])
        #expect(ask(&world, ["TOPIC", "RELATED", "TEAM"], TestWorld.bundle) == [nil, nil, "UnrelatedKeyIdInToken"])
        #expect(ask(&world, ["CLASSIC", "TEAM"], TestWorld.bundle) == [nil, nil])
    }

    @Test func goAwayAfterSoManyRequests() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        world.apns.faults.goAwayAfter = 2
        world.apns.faults.goAwayLag = 2
        let first = world.nextStream
        let statuses = (0..<6).map { world.broadcast(channel, TestWorld.body($0, ball: Int($0))) }
        #expect(statuses == [200, 200, nil, nil, nil, nil])
        #expect(goAways(world) == [.goAway(connection: 1, lastStream: first + 2, debugData: "")])
        #expect(world.apns.counters.unprocessed == 4)
        #expect(world.apns.report(ofChannel: channel)?.accepted == 2)
    }

    @Test func anOwedGoAwayCanBeFlushed() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        world.apns.faults = Faults(goAwayAfter: 1, goAwayLag: 5, goAwayReason: .badCertificateEnvironment)
        world.broadcast(channel, TestWorld.body(0, ball: 0))
        #expect(world.apns.connectionsOwingGoAway == [1])
        world.apns.flushGoAway(connection: 1, into: &world.effects)
        world.apns.flushGoAway(connection: 1, into: &world.effects)
        #expect(goAways(world).count == 1)
        guard case .goAway(_, _, let text)? = goAways(world).first else { return }
        #expect(text == "{\"reason\":\"BadCertificateEnvironment\"}")
    }

    @Test func idleConnectionsAreSentAway() throws {
        var world = try TestWorld(rules: Rules(idleMilliseconds: 1000))
        world.apns.advance(toMilliseconds: world.now + 999, into: &world.effects)
        #expect(goAways(world).isEmpty)
        world.apns.advance(toMilliseconds: world.now + 1000, into: &world.effects)
        world.apns.advance(toMilliseconds: world.now + 2000, into: &world.effects)
        #expect(goAways(world).count == 2)
    }

    @Test func shutDownTellsEveryConnection() throws {
        var world = try TestWorld()
        world.apns.shutDown(into: &world.effects)
        world.apns.shutDown(into: &world.effects)
        #expect(goAways(world).count == 2)
        #expect(world.broadcast("AAAA", "{}") == nil)
    }

    @Test func strangersAreIgnored() throws {
        var world = try TestWorld()
        #expect(world.send(TestWorld.broadcastFields("AAAA"), on: 99) == nil)
        world.apns.close(connection: 99)
        world.apns.close(connection: 1)
        #expect(world.broadcast("AAAA", "{}") == nil)
        world.apns.flushGoAway(connection: 1, into: &world.effects)
        #expect(goAways(world).isEmpty)
    }
}
