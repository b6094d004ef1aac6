import CLinux
import Codes
import HTTP2
import Loops

/// A blocking HTTP/2 client for tests.
final class TestClient {
    struct Failed: Error {
        let what: String
    }

    let http: ClientConnection
    private(set) var responses: [UInt64: ClientResponse] = [:]
    private(set) var failures: [UInt64: StreamFailure] = [:]
    private(set) var limits: [Int] = []
    private(set) var goAway: (lastStreamID: Int32, debugData: String)?
    private(set) var isClosed = false
    private var events: [ClientEvent] = []
    private var nextTag: UInt64 = 1
    private static let deadlineMilliseconds: Int64 = 10_000

    init(context: TLSClientContext, port: UInt16) throws {
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
        http = try ClientConnection(context: context, serverName: "localhost", address: address)
        try wait("connection") { http.isEstablished && !limits.isEmpty || goAway != nil || isClosed }
    }

    /// Submits without waiting; returns the tag.
    func submit(_ method: String, _ path: String, _ fields: [(String, String)], body: String = "") throws -> UInt64 {
        // A template takes short values only.
        let long = fields.filter { $0.1.utf8.count > 2000 }
        let template = RequestTemplate(
            method: method, authority: "localhost",
            fields: fields.filter { $0.1.utf8.count <= 2000 }.map { .fixed($0.0, $0.1) }
                + long.map { .variable($0.0) })
        var request = ClientRequest(template: template, path: Array(path.utf8), body: Array(body.utf8))
        for (slot, field) in long.enumerated() { request[slot] = Array(field.1.utf8) }
        let tag = nextTag
        nextTag += 1
        try wait("a free stream") { http.canSubmit || isClosed }
        guard http.submit(request, tag: tag) else { throw Failed(what: "submit") }
        http.flush(into: &events)
        return tag
    }

    func send(
        _ method: String, _ path: String, _ fields: [(String, String)], body: String = ""
    ) throws -> ClientResponse {
        let tag = try submit(method, path, fields, body: body)
        try wait("a response") { responses[tag] != nil || failures[tag] != nil || isClosed }
        guard let response = responses[tag] else {
            throw Failed(what: "no response: \(String(describing: failures[tag]))")
        }
        return response
    }

    /// Drives the connection until `condition` holds; throws after ten seconds.
    func wait(_ what: String, _ condition: () -> Bool) throws {
        let until = Clock.bootMilliseconds() + Self.deadlineMilliseconds
        while !condition() {
            guard Clock.bootMilliseconds() < until else { throw Failed(what: what) }
            drive(milliseconds: 50)
        }
    }

    func drive(milliseconds: Int32) {
        guard !isClosed else { return }
        var waiting = pollfd(
            fd: http.descriptor, events: Int16(POLLIN) | (http.wantsWrite ? Int16(POLLOUT) : 0), revents: 0)
        poll(&waiting, 1, milliseconds)
        http.ready(
            readable: waiting.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0,
            writable: waiting.revents & Int16(POLLOUT) != 0, into: &events)
        http.flush(into: &events)
        for event in events { take(event) }
        events.removeAll()
    }

    private func take(_ event: ClientEvent) {
        switch event {
        case .connected, .pong: break
        case .peerLimit(let limit): limits.append(limit)
        case .response(let response): responses[response.tag] = response
        case .streamFailed(let tag, let failure): failures[tag] = failure
        case .goAway(let last, _, let debugData): goAway = (last, String(decoding: debugData, as: UTF8.self))
        case .closed: isClosed = true
        }
    }
}
