import CLinux
import Codes
import HTTP2
import Loops
import Testing

@testable import APNs

/// A small server over real TLS and HTTP/2 that does what a test tells it to. The script runs on the server's thread,
/// once per turn and connection with new requests.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (inout Turn) -> Void

    /// One turn of one connection: what came, and what shall be done about it.
    struct Turn {
        /// Counts the connections of the server from 0.
        let connection: Int
        /// What arrived in this turn, in order.
        var requests: [ServerRequest] = []
        fileprivate var actions: [Action] = []

        fileprivate enum Action {
            case respond(Int32, Int, HeaderBlock, [UInt8])
            case reset(Int32, ErrorCode)
            case goAway(Int32?, ErrorCode, [UInt8])
            case limit(Int)
            case close
            case abort
        }

        mutating func respond(_ request: ServerRequest, _ status: Int = 200, date: String? = nil, body: String = "") {
            var fields: [(StaticString, String)] = []
            if let date { fields.append(("date", date)) }
            respond(request, status, fields: fields, body: Array(body.utf8))
        }

        mutating func respond(
            _ request: ServerRequest, _ status: Int, fields: [(StaticString, String)], body: [UInt8] = []
        ) {
            var headers = HeaderBlock()
            for (name, value) in fields { headers.append(name, value) }
            actions.append(.respond(request.stream, status, headers, body))
        }

        mutating func reset(_ request: ServerRequest, _ code: ErrorCode) {
            actions.append(.reset(request.stream, code))
        }

        mutating func goAway(lastStreamID: Int32? = nil, code: ErrorCode = .noError, debugData: String = "") {
            actions.append(.goAway(lastStreamID, code, Array(debugData.utf8)))
        }

        mutating func limit(_ streams: Int) { actions.append(.limit(streams)) }
        /// Ends the connection in order.
        mutating func close() { actions.append(.close) }
        /// Ends it with a TCP reset.
        mutating func abort() { actions.append(.abort) }
    }

    private final class Peer {
        let connection: ServerConnection
        var events: [ServerEvent] = []
        var waitsForWrite = false
        init(_ connection: ServerConnection) { self.connection = connection }
    }

    private enum Command: Sendable {
        case each(Script)
        case stop
    }

    let port: UInt16
    private let thread = LoopThread(name: "scripted-server")
    private let commands: Mailbox<Command>
    private let accepted = Lock(0)
    private let open = Lock(0)
    private let script: Script

    /// `names` are those in the certificate, which `authority` issues.
    init(
        authority: CertificateAuthority, names: [String] = ["localhost"], options: ServerOptions = ServerOptions(),
        script: @escaping Script
    ) throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let issued = try authority.issue(names: names)
        let context = try TLSServerContext(
            TLSServerSettings(credentials: issued.credentials, requestsClientCertificate: true))
        port = listener.port
        commands = Mailbox(capacity: 1000, wakeup: thread.wakeup)
        self.script = script
        let descriptor = Handle(listener)
        thread.start { [self] in run(descriptor.listener, context, options) }
    }

    /// The listener is made on the test's thread and used on the server's only.
    private struct Handle: @unchecked Sendable {  // handed over, never shared
        let listener: Listener
        init(_ listener: Listener) { self.listener = listener }
    }

    /// Connections accepted since the start.
    var acceptedCount: Int { accepted.withLock { $0 } }
    /// Connections open now.
    var openCount: Int { open.withLock { $0 } }

    /// Runs `script` for every open connection, on the server's thread, without requests.
    func each(_ script: @escaping Script) { commands.post(.each(script)) }

    func stop() {
        commands.post(.stop)
        thread.join()
    }

    private func run(_ listener: Listener, _ context: TLSServerContext, _ options: ServerOptions) {
        let poller = Poller()
        poller.add(thread.wakeup.descriptor, tag: .max)
        poller.add(listener.descriptor, tag: .max - 1)
        var peers: [Int: Peer] = [:]
        var batch: [Command] = []
        while true {
            var ready: [Poller.Readiness] = []
            poller.wait(milliseconds: -1) { ready.append($0) }
            thread.wakeup.clear()
            for readiness in ready {
                if readiness.tag == .max - 1 {
                    accept(listener, context, options, poller, &peers)
                } else if let peer = peers[Int(truncatingIfNeeded: readiness.tag)] {
                    peer.connection.ready(
                        readable: readiness.readable, writable: readiness.writable, into: &peer.events)
                }
            }
            commands.take(into: &batch)
            for command in batch {
                guard case .each(let script) = command else { return }
                for number in peers.keys.sorted() { run(script, number, peers[number], requests: []) }
            }
            for number in peers.keys.sorted() { serve(number, poller, &peers) }
        }
    }

    private func accept(
        _ listener: Listener, _ context: TLSServerContext, _ options: ServerOptions, _ poller: Poller,
        _ peers: inout [Int: Peer]
    ) {
        while let descriptor = try? listener.accept() {
            guard
                let connection = try? ServerConnection(context: context, accepted: descriptor, options: options)
            else { continue }
            let number = accepted.withLock { count in
                defer { count += 1 }
                return count
            }
            open.withLock { $0 += 1 }
            peers[number] = Peer(connection)
            poller.add(descriptor, tag: UInt64(number))
        }
    }

    private func serve(_ number: Int, _ poller: Poller, _ peers: inout [Int: Peer]) {
        guard let peer = peers[number] else { return }
        let requests = peer.events.compactMap { if case .request(let request) = $0 { request } else { nil } }
        var closed = peer.connection.isClosed
        peer.events.removeAll()
        if !requests.isEmpty { run(script, number, peer, requests: requests) }
        peer.connection.flush(into: &peer.events)
        closed = closed || peer.connection.isClosed
        if closed {
            poller.remove(peer.connection.descriptor)
            peers[number] = nil
            open.withLock { $0 -= 1 }
        } else if peer.connection.wantsWrite != peer.waitsForWrite {
            peer.waitsForWrite = peer.connection.wantsWrite
            poller.change(peer.connection.descriptor, tag: UInt64(number), writable: peer.waitsForWrite)
        }
    }

    private func run(_ script: Script, _ number: Int, _ peer: Peer?, requests: [ServerRequest]) {
        guard let peer else { return }
        var turn = Turn(connection: number, requests: requests)
        script(&turn)
        let connection = peer.connection
        for action in turn.actions {
            switch action {
            case .respond(let stream, let status, let headers, let body):
                connection.respond(stream: stream, status: status, headers: headers, body: body)
            case .reset(let stream, let code): connection.reset(stream: stream, code: code)
            case .goAway(let last, let code, let data):
                connection.goAway(lastStreamID: last, errorCode: code, debugData: data)
            case .limit(let count): connection.setMaxConcurrentStreams(count)
            case .close: connection.close(into: &peer.events)
            case .abort:
                var off = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection.descriptor, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
                connection.close(into: &peer.events)
            }
        }
    }
}

/// Waits until `condition` holds, by looking again every few milliseconds; fails after `seconds`.
func expectSoon(
    _ comment: Comment, seconds: Int64 = 20, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) {
    let deadline = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
    while !condition() {
        if Clock.monotonicNanoseconds() > deadline {
            Issue.record(comment, sourceLocation: sourceLocation)
            return
        }
        poll(nil, 0, 3)
    }
}
