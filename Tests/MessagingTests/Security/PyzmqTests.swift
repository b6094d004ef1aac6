import Foundation
import Loops
import Messaging
import Testing

/// What Carillon writes, pyzmq loads, and the other way round. Without pyzmq there is nothing to ask, except in CI,
/// where it must be.
@Suite struct PyzmqTests {
    private func python(_ script: String, _ arguments: [String] = []) throws -> (status: Int32, output: String) {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let child = try ChildProcess(
            program: "/usr/bin/env", arguments: ["python3", "-c", script] + arguments, output: output, errors: output)
        let ending = child.wait()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        guard case .exited(let status) = ending else { return (-1, text) }
        return (status, text)
    }

    private func hasPyzmq() throws -> Bool {
        let found = try python("import zmq.auth").status == 0
        if !found && ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("pyzmq is missing: apt-get install python3-zmq")
        }
        return found
    }

    @Test func pyzmqLoadsWhatCarillonWrites() throws {
        guard try hasPyzmq() else { return }
        let directory = try TemporaryDirectory()
        let paths = try Certificate.generate(name: "scores", role: .producer).write(directory: directory.path)
        let script = """
            import sys, zmq.auth, zmq.utils.z85
            public, none = zmq.auth.load_certificate(sys.argv[1])
            again, secret = zmq.auth.load_certificate(sys.argv[2])
            assert none is None and public == again
            assert zmq.curve_public(secret) == public
            print(public.decode())
            """
        let result = try python(script, [paths.publicPath, paths.secretPath])
        let key = try Certificate.read(paths.publicPath, secret: false).publicKey
        #expect(result.status == 0 && result.output == "\(key)\n", "\(result.output)")
    }

    @Test func carillonLoadsWhatPyzmqWrites() throws {
        guard try hasPyzmq() else { return }
        let directory = try TemporaryDirectory()
        let script = """
            import sys, os, zmq.auth
            public, secret = zmq.auth.create_certificates(sys.argv[1], 'orders', metadata={'role': 'admin'})
            os.chmod(secret, 0o600)
            print(zmq.auth.load_certificate(public)[0].decode())
            """
        let result = try python(script, [directory.path])
        let certificate = try Certificate.read(directory.path + "/orders.key_secret", secret: true)
        #expect(certificate.name == "orders" && certificate.role == .admin)
        #expect(result.output == "\(certificate.publicKey)\n", "\(result.output)")
    }
}
