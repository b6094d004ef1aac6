import APNsSimulator
import CLinux
import COpenSSL
import Codes
import HTTP2
import LiveActivity
import SimulatedAPNs
import Testing

/// The simulator by real HTTP/2 requests over TLS.
@Suite struct ServerTests {
    private func reason(_ response: ClientResponse) -> String? {
        let bytes = response.body
        return (try? JSONValue(parsing: bytes.span))?["reason"]?.string
    }

    @Test func channelLifeAndBroadcast() throws {
        let test = try TestSimulator()
        let authorization = try test.authorization()
        let manage = try test.connect(.manage)
        let path = "/1/apps/\(TestSimulator.bundle)/channels"
        let created = try manage.send(
            "POST", path, [("authorization", authorization)],
            body: "{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")
        #expect(created.status == 201)
        let channel = created.headers.text("apns-channel-id") ?? ""
        let fields = [("authorization", authorization), ("apns-channel-id", channel)]
        let read = try manage.send("GET", path, fields)
        #expect(read.status == 200)
        #expect(
            String(decoding: read.body, as: UTF8.self)
                == "{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")
        let list = try manage.send(
            "GET", "/1/apps/\(TestSimulator.bundle)/all-channels", [("authorization", authorization)])
        #expect(String(decoding: list.body, as: UTF8.self) == "{\"channels\":[\"\(channel)\"]}")

        let added = try test.control.addDevices(
            5, app: TestSimulator.bundle, .channel(channel), schema: "Match")
        #expect(added.devices == 0..<5)
        let send = try test.connect()
        let sent = try send.send(
            "POST", TestSimulator.broadcastPath, TestSimulator.broadcastFields(channel, authorization),
            body: TestSimulator.body(1_790_000_000, ball: 7))
        #expect(sent.status == 200)
        #expect(sent.headers.text("apns-request-id")?.count == 36)
        try test.control.wait(
            Condition(.channel(channel), .field(name: "ball", value: .integer(7)), activitiesMin: 5),
            timeoutMilliseconds: 5000)
        let state = try test.control.state()
        #expect(state.counter("shown") == 5)
        #expect(state.channels.first?.shown.currentOnline == 5)
        #expect(state.channels.first?.shown.newestState?["ball"]?.integer == 7)

        let deleted = try manage.send("DELETE", path, fields)
        #expect(deleted.status == 204)
        let again = try manage.send("GET", path, fields)
        #expect(again.status == 400)
        #expect(reason(again) == "ChannelNotRegistered")
        #expect(again.headers.text("content-type") == "application/json")
    }

    @Test func devicePush() throws {
        let test = try TestSimulator()
        let tokens = try test.control.addDevices(
            2, app: TestSimulator.bundle, .activityTokens(byteCount: 80), schema: "Match"
        ).tokens
        let client = try test.connect()
        let id = "0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11"
        let response = try client.send(
            "POST", "/3/device/" + tokens[0],
            TestSimulator.deviceFields(try test.authorization()) + [("apns-id", id)],
            body: TestSimulator.body(1_790_000_000, ball: 1))
        #expect(response.status == 200)
        #expect(response.headers.text("apns-id") == id)
        let device = try test.control.device(ofToken: tokens[0])
        #expect(device["activities"]?[0]?["state"]?["ball"]?.integer == 1)
        try test.control.setFate(.unregistered, ofToken: tokens[1])
        let gone = try client.send(
            "POST", "/3/device/" + tokens[1], TestSimulator.deviceFields(try test.authorization()),
            body: TestSimulator.body(1_790_000_001, ball: 2))
        // A second token within 20 minutes on one connection is the first thing that is wrong.
        #expect(gone.status == 429)
        #expect(reason(gone) == "TooManyProviderTokenUpdates")
        let other = try test.connect().send(
            "POST", "/3/device/" + tokens[1], TestSimulator.deviceFields(try test.authorization()),
            body: TestSimulator.body(1_790_000_001, ball: 2))
        #expect(other.status == 410)
        #expect(reason(other) == "Unregistered")
    }

    @Test func tokensGoodAndBad() throws {
        let test = try TestSimulator()
        let path = "/1/apps/\(TestSimulator.bundle)/all-channels"
        let key = "SIMKEY0001"
        let team = "SIMTEAM001"
        let good = try test.signer.token(keyID: key, teamID: team)
        let forged = try TestSigner().token(keyID: key, teamID: team)
        let cases: [(String?, Int, String?)] = [
            ("bearer " + good, 200, nil),
            ("Bearer " + (try test.signer.token(keyID: key, teamID: team, asDER: true)), 200, nil),
            (nil, 403, "MissingProviderToken"),
            ("bearer", 403, "InvalidProviderToken"),
            ("bearer a.b.c", 403, "InvalidProviderToken"),
            ("bearer " + String(good.dropLast(4)), 403, "InvalidProviderToken"),
            ("bearer " + forged, 403, "InvalidProviderToken"),
            ("bearer " + (try test.signer.token(keyID: "OTHERKEY01", teamID: team)), 403, "InvalidProviderToken"),
            ("bearer " + (try test.signer.token(keyID: key, teamID: "OTHERTEAM1")), 403, "InvalidProviderToken"),
            (
                "bearer " + (try test.signer.token(keyID: key, teamID: team, algorithm: "HS256")), 403,
                "InvalidProviderToken"
            ),
            (
                "bearer " + (try test.signer.token(keyID: key, teamID: team, secondsAgo: 3700)), 403,
                "ExpiredProviderToken"
            ),
        ]
        for (authorization, status, expected) in cases {
            let client = try test.connect(.manage)
            for _ in 0..<2 {
                let response = try client.send("GET", path, authorization.map { [("authorization", $0)] } ?? [])
                #expect(response.status == status)
                #expect(reason(response) == expected)
            }
        }
    }

    @Test func oneStreamUntilAValidTokenWasAccepted() throws {
        let test = try TestSimulator()
        let client = try test.connect()
        #expect(client.limits == [1])
        _ = try client.send("POST", TestSimulator.broadcastPath, [], body: "{}")
        #expect(client.limits == [1])
        let channel = try test.createChannel()
        let response = try client.send(
            "POST", TestSimulator.broadcastPath, TestSimulator.broadcastFields(channel, try test.authorization()),
            body: TestSimulator.body(1, ball: 1))
        #expect(response.status == 200)
        try client.wait("1000 streams") { client.limits.last == 1000 }
    }

    @Test func answersTakeTheirTime() throws {
        let test = try TestSimulator { $0.answerDelayMilliseconds = 30 }
        let channel = try test.createChannel()
        let client = try test.connect()
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        _ = try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(1, ball: 1))
        let tags = try (0..<100).map {
            try client.submit("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body($0 + 2, ball: 2))
        }
        try client.wait("all answers") { tags.allSatisfy { client.responses[$0]?.status == 200 } }
        try test.control.setFaults([.clear])
        #expect(
            try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(200, ball: 3)).status
                == 200)
    }

    @Test func goAwayLeavesLaterStreamsUnprocessed() throws {
        let test = try TestSimulator { $0.answerDelayMilliseconds = 20 }
        let channel = try test.createChannel()
        let client = try test.connect()
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        _ = try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(1, ball: 1))
        try client.wait("streams") { client.http.peerMaxConcurrentStreams > 1 }
        try test.control.setFaults([.goAway(after: 5, lag: 3, reason: .shutdown)])
        let tags = try (0..<10).map {
            try client.submit("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body($0 + 2, ball: 2))
        }
        try client.wait("all outcomes") {
            tags.allSatisfy { client.responses[$0] != nil || client.failures[$0] != nil }
        }
        #expect(client.goAway?.lastStreamID == 9)
        #expect(client.goAway?.debugData == "{\"reason\":\"Shutdown\"}")
        #expect(tags.filter { client.responses[$0]?.status == 200 }.count == 4)
        #expect(tags.filter { client.failures[$0] == .unprocessed }.count == 6)
        let state = try test.control.state()
        #expect(state.channels.first?.accepted == 5)
        #expect(state.counter("go_aways") == 1)
    }

    @Test func goAwayIsNotOwedForEver() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        let client = try test.connect()
        try test.control.setFaults([.goAway(after: 1, lag: 1000)])
        _ = try client.send(
            "POST", TestSimulator.broadcastPath, TestSimulator.broadcastFields(channel, try test.authorization()),
            body: TestSimulator.body(1, ball: 1))
        try client.wait("GOAWAY") { client.goAway != nil }
    }

    @Test func unansweredRequests() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        let client = try test.connect()
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        _ = try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(1, ball: 1))
        try test.control.setFaults([.unansweredOneIn(1)])
        let tag = try client.submit("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(2, ball: 2))
        try client.wait("the state") {
            client.drive(milliseconds: 10)
            return (try? test.control.state().counter("unanswered")) == 1
        }
        #expect(client.responses[tag] == nil)
        client.http.cancel(tag: tag)
        try test.control.setFaults([.clear])
        #expect(
            try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(3, ball: 3)).status
                == 200)
    }

    @Test func garbageOnThePortsIsSurvived() throws {
        let test = try TestSimulator()
        for port in [test.simulator.sendPort, test.simulator.managePort] {
            for text in ["GET / HTTP/1.1\r\n\r\n", "", String(repeating: "\u{16}\u{03}\u{01}", count: 10_000)] {
                let garbage = try GarbageClient(port: port)
                garbage.send(Array(text.utf8))
                garbage.hangUp()
            }
        }
        let silent = try GarbageClient(port: test.simulator.sendPort)
        _ = silent
        #expect(try !test.createChannel().isEmpty)
    }

    @Test func largeBodiesAndHeaders() throws {
        let test = try TestSimulator()
        let channel = try test.createChannel()
        let client = try test.connect()
        let fields = TestSimulator.broadcastFields(channel, try test.authorization())
        let response = try client.send(
            "POST", TestSimulator.broadcastPath, fields, body: String(repeating: " ", count: 200_000))
        #expect(response.status == 413)
        #expect(reason(response) == "PayloadTooLarge")
        #expect(throws: TestClient.Failed.self) {
            try client.send(
                "POST", TestSimulator.broadcastPath, fields + [("x", String(repeating: "y", count: 7_900))], body: "{}"
            )
        }
        #expect(
            try client.send("POST", TestSimulator.broadcastPath, fields, body: TestSimulator.body(3, ball: 3)).status
                == 200)
    }

    @Test func thousandsOfChannelsAreListed() throws {
        let test = try TestSimulator {
            $0.apps = [SimulatedApp(bundleID: TestSimulator.bundle, teamID: "SIMTEAM001", channelsMax: 3000)]
        }
        let client = try test.connect(.manage)
        let fields = [("authorization", try test.authorization())]
        let path = "/1/apps/\(TestSimulator.bundle)/channels"
        let body = "{\"message-storage-policy\":0,\"push-type\":\"LiveActivity\"}"
        _ = try client.send("POST", path, fields, body: body)
        let tags = try (0..<3000).map { _ in try client.submit("POST", path, fields, body: body) }
        try client.wait("all channels") { tags.allSatisfy { client.responses[$0] != nil } }
        #expect(client.responses[tags[2999]].flatMap(reason) == "CannotCreateChannelConfig")
        let list = try client.send("GET", "/1/apps/\(TestSimulator.bundle)/all-channels", fields)
        #expect(list.body.count == 3000 * 27 + 14)
    }
}
