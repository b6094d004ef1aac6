import Codes
import HTTP2
import Loops
import Testing

@testable import APNs

private let channel = "dHN0LXNyY2gtY2hubA=="

/// A management loop in front of a scripted server.
private struct Bench {
    let app: TestApp
    let server: ScriptedServer
    let loop: ManagementLoop
    let resolver: Resolver
    let notices = Lock<[APNsNotice]>([])

    init(
        names: [String] = ["localhost"], caOf other: TestApp? = nil, resolver: Resolver = Resolver(),
        change: (inout APNsSettings) -> Void = { _ in }, script: @escaping ScriptedServer.Script
    ) throws {
        self.resolver = resolver
        app = try TestApp()
        server = try ScriptedServer(authority: app.authority, names: names, script: script)
        var settings = (other ?? app).settings(port: server.port)
        change(&settings)
        let reporter = Reporter { [notices] notice in notices.withLock { $0.append(notice) } }
        let contexts = try AppContext.make(settings, reporter)
        loop = ManagementLoop(contexts: contexts, settings: settings, resolver: resolver)
        loop.start()
    }

    func stop() {
        loop.stop()
        resolver.stop()
        server.stop()
    }

    func fault(_ operation: ChannelOperation) async -> Fault? {
        do throws(Fault) {
            _ = try await loop.perform(operation, app: 0)
            return nil
        } catch {
            return error
        }
    }
}

@Suite struct ManagementLoopTests {
    @Test func everyOperationSpeaksAsAppleWrites() async throws {
        let seen = Lock<[String]>([])
        let bench = try Bench { turn in
            for request in turn.requests {
                let text = String(decoding: request.method + [0x20] + request.path, as: UTF8.self)
                let extra = request.headers.text("apns-channel-id").map { " " + $0 } ?? ""
                seen.withLock { $0.append(text + extra + " " + String(decoding: request.body, as: UTF8.self)) }
                switch text {
                case "POST /1/apps/com.example.MyApp/channels":
                    turn.respond(request, 201, fields: [("apns-channel-id", channel)])
                case "GET /1/apps/com.example.MyApp/channels":
                    turn.respond(request, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
                case "DELETE /1/apps/com.example.MyApp/channels": turn.respond(request, 204)
                default: turn.respond(request, body: #"{"channels":["\#(channel)"]}"#)
                }
            }
        }
        #expect(try await bench.loop.perform(.create(.mostRecent), app: 0) == .created(channelID: channel))
        #expect(try await bench.loop.perform(.read(channelID: channel), app: 0) == .policy(.mostRecent))
        #expect(try await bench.loop.perform(.delete(channelID: channel), app: 0) == .deleted(existed: true))
        #expect(try await bench.loop.perform(.list, app: 0) == .channels([channel]))
        #expect(
            seen.withLock { $0 } == [
                #"POST /1/apps/com.example.MyApp/channels {"message-storage-policy":1,"push-type":"LiveActivity"}"#,
                "GET /1/apps/com.example.MyApp/channels \(channel) ",
                "DELETE /1/apps/com.example.MyApp/channels \(channel) ",
                "GET /1/apps/com.example.MyApp/all-channels ",
            ])
        // One connection for all; on a machine that is overloaded the first may run into its time-out.
        #expect((1...2).contains(bench.server.acceptedCount))
        bench.stop()
    }

    @Test func listsTenThousandChannels() async throws {
        let channels = (0..<10_000).map { number in "AAAA\(100_000 + number)BBBBBBBBBBBB==" }
        let body = "{\"channels\":[" + channels.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
        #expect(body.utf8.count > 260_000)
        let bench = try Bench { turn in
            for request in turn.requests { turn.respond(request, body: body) }
        }
        #expect(try await bench.loop.perform(.list, app: 0) == .channels(channels))
        bench.stop()
    }

    @Test func refusalsCarryApplesReason() async throws {
        let bench = try Bench { turn in
            for request in turn.requests {
                switch request.method.first {
                case UInt8(ascii: "D"): turn.respond(request, 400, body: #"{"reason":"ChannelNotRegistered"}"#)
                case UInt8(ascii: "P"): turn.respond(request, 400, body: #"{"reason":"CannotCreateChannelConfig"}"#)
                default: turn.respond(request, 429, body: #"{"reason":"TooManyRequests"}"#)
                }
            }
        }
        #expect(try await bench.loop.perform(.delete(channelID: channel), app: 0) == .deleted(existed: false))
        let limit = await bench.fault(.create(.none))
        #expect(limit?.code == .apnsRefused)
        #expect(limit?.detail.contains("CannotCreateChannelConfig for com.example.MyApp in simulator") == true)
        #expect(await bench.fault(.list)?.code == .apnsBusy)
        #expect(await bench.fault(.read(channelID: "no\r\nchannel"))?.code == .badChannelID)
        bench.stop()
    }

    @Test func lostAnswersAreAskedAgainExceptForCreate() async throws {
        let count = Lock(0)
        let bench = try Bench { turn in
            for request in turn.requests {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if request.method.first == UInt8(ascii: "P") || number == 1 {
                    turn.close()
                } else {
                    turn.respond(request, body: #"{"channels":[]}"#)
                }
            }
        }
        #expect(try await bench.loop.perform(.list, app: 0) == .channels([]))
        #expect(count.withLock { $0 } == 2)
        #expect(await bench.fault(.create(.none))?.code == .apnsAnswerLost)
        #expect(count.withLock { $0 } == 3)
        bench.stop()
    }

    @Test func silentServerEndsInATimeout() async throws {
        let bench = try Bench(change: {
            $0.requestTimeoutMilliseconds = 200
            $0.connectTimeoutMilliseconds = 300
        }) { _ in }
        #expect(await bench.fault(.list)?.code == .apnsTimeout)
        #expect(await bench.fault(.create(.none))?.code == .apnsAnswerLost)
        bench.stop()
    }

    @Test func wrongAuthorityAndWrongNameAreFaults() async throws {
        let stranger = try TestApp()
        let untrusted = try Bench(caOf: stranger) { _ in }
        #expect(await untrusted.fault(.list)?.code == .unknownAuthority)
        untrusted.stop()
        let misnamed = try Bench(names: ["other.example"]) { _ in }
        #expect(await misnamed.fault(.list)?.code == .wrongServerName)
        #expect(misnamed.notices.withLock { $0.map(\.fault.code) } == [.wrongServerName])
        misnamed.stop()
    }

    @Test func nobodyThereIsAFault() async throws {
        let bench = try Bench(change: { $0.apps[0].manage = APNsEndpoint(host: "127.0.0.1", port: 1) }) { _ in }
        #expect(await bench.fault(.list)?.code == .connectFailed)
        bench.stop()
        #expect(await bench.fault(.list)?.code == .apnsStopped)
    }

    /// 127.0.0.2 is this machine as well, and the server does not listen there.
    private static func resolver(_ hosts: String...) -> Resolver {
        Resolver { endpoint in
            .success(hosts.flatMap { (try? SocketAddress.resolve(host: $0, port: endpoint.port)) ?? [] })
        }
    }

    @Test func anAddressThatRefusesIsFollowedByTheNext() async throws {
        let bench = try Bench(resolver: Self.resolver("127.0.0.2", "127.0.0.3", "127.0.0.1")) { turn in
            for request in turn.requests { turn.respond(request, body: #"{"channels":[]}"#) }
        }
        #expect(try await bench.loop.perform(.list, app: 0) == .channels([]), "within one attempt")
        bench.stop()
    }

    @Test func anAddressThatSaysNothingComesLastTheNextTime() async throws {
        let bench = try Bench(
            resolver: Self.resolver("127.0.0.2", "127.0.0.1"), change: { $0.connectTimeoutMilliseconds = 300 }
        ) { turn in
            for request in turn.requests { turn.respond(request, body: #"{"channels":[]}"#) }
        }
        let silent = try Listener(host: "127.0.0.2", port: bench.server.port)
        #expect(await bench.fault(.list)?.code == .apnsUnreachable)
        var answers = 0
        for _ in 0..<10 where answers == 0 {
            if await bench.fault(.list) == nil { answers += 1 }
        }
        #expect(answers == 1)
        bench.stop()
        withExtendedLifetime(silent) {}
    }

    @Test func aHostWithoutAddressesIsAFault() async throws {
        let bench = try Bench(resolver: Self.resolver()) { _ in }
        #expect(await bench.fault(.list)?.code == .apnsUnreachable)
        bench.stop()
    }

    @Test func refusedTokenIsSaidOnceAndNotSignedAgain() async throws {
        let authorizations = Lock<Set<String>>([])
        let bench = try Bench { turn in
            for request in turn.requests {
                authorizations.withLock { _ = $0.insert(request.headers.text("authorization") ?? "") }
                turn.respond(
                    request, 403, date: "Mon, 21 Sep 2026 14:13:20 GMT",
                    body: #"{"reason":"ExpiredProviderToken"}"#)
            }
        }
        for _ in 0..<5 { #expect(await bench.fault(.list)?.code == .providerTokenRefused) }
        #expect(authorizations.withLock { $0.count } == 1)
        let codes = bench.notices.withLock { $0.map(\.fault.code) }
        #expect(codes.filter { $0 == .providerTokenRefused }.count == 1)
        #expect(codes.filter { $0 == .clockSkew }.count == 1)
        bench.stop()
    }

    @Test func manyAtOnceAllGetTheirAnswer() async throws {
        let open = Lock((now: 0, beforeFirst: 0, answered: false))
        let bench = try Bench { turn in
            for request in turn.requests {
                open.withLock { if !$0.answered { $0.beforeFirst += 1 } }
                open.withLock { $0.answered = true }
                turn.respond(request, body: #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
            }
        }
        let loop = bench.loop
        let answers = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let answer = try? await loop.perform(.read(channelID: "A\(number)"), app: 0)
                    return answer == .policy(ChannelStoragePolicy.none)
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 200)
        #expect(open.withLock { $0.beforeFirst } == 1)
        bench.stop()
    }
}
