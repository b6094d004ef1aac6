import CLinux
import Codes
import Loops
import Testing

@testable import HTTP2

/// One authority and one server certificate for all tests, made once.
enum TestIdentity {
    struct Pair: Sendable {
        let authority: [UInt8]
        let server: IssuedCredentials
        let expired: IssuedCredentials
        let foreign: [UInt8]
    }

    static let pair: Result<Pair, Fault> = Result { () throws(Fault) in
        let authority = try CertificateAuthority()
        return Pair(
            authority: authority.certificatePEM,
            server: try authority.issue(names: ["localhost", "127.0.0.1"]),
            expired: try authority.issue(names: ["localhost"], lifetimeDays: 5, startsInDays: -10),
            foreign: try CertificateAuthority(commonName: "Somebody else").certificatePEM)
    }
}

/// Both ends of real TLS connections over 127.0.0.1, driven by one thread.
final class Loopback {
    let poller = Poller()
    let listener: Listener
    let serverContext: TLSServerContext
    var serverOptions: ServerOptions
    var servers: [ServerConnection] = []
    var serverEvents: [[ServerEvent]] = []
    var client: ClientConnection!  // set by connect, which every test calls first
    var clientEvents: [ClientEvent] = []
    /// Called for each server event as it happens; answers requests.
    var serve: (ServerConnection, ServerEvent) -> Void = { _, _ in }
    /// While true the server's side is not driven at all.
    var serverPaused = false
    private var clientWatched = false
    private var serverWatched: [Bool] = []

    init(
        options: ServerOptions = ServerOptions(), credentials: Credentials? = nil, offersHTTP2: Bool = true,
        requestsClientCertificate: Bool = false
    ) throws {
        let pair = try TestIdentity.pair.get()
        listener = try Listener(host: "127.0.0.1", port: 0)
        serverContext = try TLSServerContext(
            TLSServerSettings(
                credentials: credentials ?? pair.server.credentials,
                requestsClientCertificate: requestsClientCertificate, offersHTTP2: offersHTTP2))
        serverOptions = options
        poller.add(listener.descriptor, tag: 0)
    }

    /// Starts the client; true once it is connected.
    @discardableResult
    func connect(
        options: ClientOptions = ClientOptions(), serverName: String = "localhost", authorities: [UInt8]? = nil,
        keyLogFile: String? = nil
    ) throws -> Bool {
        let settings = TLSClientSettings(
            authorities: .bytes(try authorities ?? TestIdentity.pair.get().authority), keyLogFile: keyLogFile)
        client = try ClientConnection(
            context: try TLSClientContext(settings), serverName: serverName, address: listener.address,
            options: options)
        poller.add(client.descriptor, tag: 1, writable: true)
        clientWatched = true
        return run { self.client.isClosed || self.limits.count > 0 } && !client.isClosed
    }

    /// Drives both ends until `condition` holds; false after a generous deadline.
    func run(until condition: () -> Bool) -> Bool {
        let deadline = Clock.bootMilliseconds() + 20_000
        while !condition() {
            guard Clock.bootMilliseconds() < deadline else { return false }
            turn(wait: 20)
        }
        return true
    }

    /// One turn of the loop.
    func turn(wait: Int32 = 0) {
        watch()
        poller.wait(milliseconds: wait) { readiness in
            switch readiness.tag {
            case 0: accept()
            case 1: client.ready(readable: readiness.readable, writable: readiness.writable, into: &clientEvents)
            default:
                let index = Int(readiness.tag) - 2
                if serverPaused { return }
                var events: [ServerEvent] = []
                servers[index].ready(readable: readiness.readable, writable: readiness.writable, into: &events)
                take(events, index)
            }
        }
        if let client { client.flush(into: &clientEvents) }
        if serverPaused { return }
        for index in servers.indices {
            var events: [ServerEvent] = []
            servers[index].flush(into: &events)
            take(events, index)
        }
    }

    private func take(_ events: [ServerEvent], _ index: Int) {
        serverEvents[index].append(contentsOf: events)
        for event in events { serve(servers[index], event) }
    }

    private func watch() {
        if let client, clientWatched {
            if client.isClosed {
                poller.remove(client.descriptor)
                clientWatched = false
            } else {
                poller.change(client.descriptor, tag: 1, writable: client.wantsWrite)
            }
        }
        for index in servers.indices where serverWatched[index] {
            if servers[index].isClosed {
                poller.remove(servers[index].descriptor)
                serverWatched[index] = false
            } else {
                poller.change(servers[index].descriptor, tag: UInt64(index + 2), writable: servers[index].wantsWrite)
            }
        }
    }

    private func accept() {
        guard let accepted = try? listener.accept(),
            let connection = try? ServerConnection(
                context: serverContext, accepted: accepted, options: serverOptions, place: "test client")
        else { return }
        servers.append(connection)
        serverEvents.append([])
        serverWatched.append(true)
        poller.add(accepted, tag: UInt64(servers.count + 1))
    }

    // MARK: What the client saw

    var limits: [Int] {
        clientEvents.compactMap { if case .peerLimit(let limit) = $0 { limit } else { nil } }
    }
    var responses: [ClientResponse] {
        clientEvents.compactMap { if case .response(let response) = $0 { response } else { nil } }
    }
    var failures: [UInt64: StreamFailure] {
        var all: [UInt64: StreamFailure] = [:]
        for case .streamFailed(let tag, let failure) in clientEvents { all[tag] = failure }
        return all
    }
    /// Every reported tag, once per report.
    var reportedTags: [UInt64] {
        clientEvents.compactMap { event in
            switch event {
            case .response(let response): response.tag
            case .streamFailed(let tag, _): tag
            default: nil
            }
        }
    }
    var closedFault: Fault? {
        for case .closed(let fault) in clientEvents { return fault }
        return nil
    }
    var requests: [ServerRequest] {
        serverEvents.joined().compactMap { if case .request(let request) = $0 { request } else { nil } }
    }
}

/// Answers every request with 200, an `apns-id` and no body.
func answerOK(_ server: ServerConnection, _ event: ServerEvent) {
    guard case .request(let request) = event else { return }
    var headers = HeaderBlock()
    headers.append("apns-id", "8D4B1B31-3A58-4C3F-9C5B-1F2A3B4C5D6E")
    server.respond(stream: request.stream, status: 200, headers: headers, body: [])
}

func makeTemplate(method: String = "POST") -> RequestTemplate {
    RequestTemplate(
        method: method, authority: "localhost",
        fields: [
            .fixed("authorization", "bearer abc.def.ghi", indexing: .never),
            .fixed("apns-topic", "com.example.app.push-type.liveactivity"),
            .variable("apns-expiration"), .variable("apns-id", indexing: .never),
        ])
}

func makeRequest(_ number: Int = 0, body: [UInt8] = Array("{}".utf8)) -> ClientRequest {
    ClientRequest(template: makeTemplate(), path: Array("/3/device/\(number)".utf8), body: body)
}
