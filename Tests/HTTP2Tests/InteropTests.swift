import CLinux
import Codes
import Loops
import Testing

@testable import HTTP2

/// Against the programs of the nghttp2 project, where they are installed (packages nghttp2-server and nghttp2-client).
@Suite struct InteropTests {
    private static func installed(_ paths: [String]) -> String? { paths.first { access($0, X_OK) == 0 } }
    static let nghttpd = installed(["/usr/sbin/nghttpd", "/usr/bin/nghttpd"])
    static let h2load = installed(["/usr/bin/h2load"])

    /// A directory with the test server's certificate and key, deleted by `remove`.
    private struct Files {
        let directory: String
        var certificate: String { directory + "/server.pem" }
        var key: String { directory + "/server.key" }
        var output: String { directory + "/output" }

        init() throws {
            var path = Array("/tmp/carillon-interop-XXXXXX".utf8CString)
            try #require(mkdtemp(&path) != nil)
            directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let server = try TestIdentity.pair.get().server
            try write(server.certificatePEM, certificate)
            try write(server.keyPEM, key)
        }

        func write(_ bytes: [UInt8], _ path: String) throws {
            let descriptor = creat(path, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            #expect(CLinux.write(descriptor, bytes, bytes.count) == bytes.count)
        }

        func remove() {
            for path in [certificate, key, output, directory + "/body"] { unlink(path) }
            rmdir(directory)
        }
    }

    @Test(.enabled(if: nghttpd != nil), arguments: [4_096, 100, 0])
    func nghttpdEchoesWhatWeSend(tableSize: Int) throws {
        let files = try Files()
        defer { files.remove() }
        let port = try Listener(host: "127.0.0.1", port: 0).port
        let server = try ChildProcess(
            program: try #require(Self.nghttpd),
            arguments: [
                "--echo-upload", "-a", "127.0.0.1", "--header-table-size=\(tableSize)", "\(port)", files.key,
                files.certificate,
            ], output: files.output, errors: files.output)
        defer { server.end() }
        let client = try #require(try connect(port))
        var events: [ClientEvent] = []
        let poller = Poller()
        poller.add(client.descriptor, tag: 0)
        let total = 400
        var sent = 0
        var echoed: [UInt64: [UInt8]] = [:]
        let template = makeTemplate()
        let deadline = Clock.bootMilliseconds() + 20_000
        while echoed.count < total, Clock.bootMilliseconds() < deadline, !client.isClosed {
            while sent < total, client.canSubmit {
                var request = ClientRequest(
                    template: template, path: Array("/3/device/\(sent)".utf8), body: Array("body \(sent)".utf8))
                request[0] = Array("\(sent)".utf8)
                #expect(client.submit(request, tag: UInt64(sent)))
                sent += 1
            }
            client.flush(into: &events)
            poller.change(client.descriptor, tag: 0, writable: client.wantsWrite)
            poller.wait(milliseconds: 50) {
                client.ready(readable: $0.readable, writable: $0.writable, into: &events)
            }
            for event in events {
                switch event {
                case .response(let response):
                    #expect(response.status == 200)
                    echoed[response.tag] = response.body
                case .streamFailed(let tag, let failure): Issue.record("\(tag): \(failure)")
                case .closed(let fault): Issue.record("closed: \(fault?.description ?? "in order")")
                default: break
                }
            }
            events.removeAll()
        }
        #expect(echoed.count == total)
        for (tag, body) in echoed { #expect(body == Array("body \(tag)".utf8)) }
        client.close(into: &events)
    }

    /// Tries until the server listens.
    private func connect(_ port: UInt16) throws -> ClientConnection? {
        let settings = TLSClientSettings(authorities: .bytes(try TestIdentity.pair.get().authority))
        let context = try TLSClientContext(settings)
        let address = try #require(try SocketAddress.resolve(host: "127.0.0.1", port: port).first)
        let deadline = Clock.bootMilliseconds() + 20_000
        while Clock.bootMilliseconds() < deadline {
            let poller = Poller()
            guard let client = try? ClientConnection(context: context, serverName: "localhost", address: address)
            else {
                // Nobody listens yet: the empty poller waits a moment.
                poller.wait(milliseconds: 20) { _ in }
                continue
            }
            poller.add(client.descriptor, tag: 0, writable: true)
            var events: [ClientEvent] = []
            while !client.isClosed, Clock.bootMilliseconds() < deadline {
                poller.wait(milliseconds: 50) {
                    client.ready(readable: $0.readable, writable: $0.writable, into: &events)
                }
                if client.isEstablished { return client }
                poller.change(client.descriptor, tag: 0, writable: client.wantsWrite)
            }
        }
        return nil
    }

    @Test(.enabled(if: h2load != nil))
    func h2loadIsServed() throws {
        let files = try Files()
        defer { files.remove() }
        try files.write([UInt8](repeating: 120, count: 3_000), files.directory + "/body")
        let loop = try Loopback()
        loop.serve = answerOK
        let load = try ChildProcess(
            program: try #require(Self.h2load),
            arguments: [
                "-n", "2000", "-c", "3", "-m", "100", "-d", files.directory + "/body",
                "https://127.0.0.1:\(loop.listener.port)/3/device/abc",
            ], output: files.output, errors: files.output)
        var ending: ChildProcess.Ending?
        let ended = loop.run {
            ending = load.poll()
            return ending != nil
        }
        if !ended { load.end() }
        #expect(ending == .exited(0))
        #expect(loop.requests.count == 2_000)
        #expect(loop.requests.allSatisfy { $0.body.count == 3_000 && !$0.bodyTooLarge })
    }
}
