import Codes
import Foundation
import Testing
import Wire

/// The example in Docs/Examples runs as it stands, against a node that speaks only this protocol.
@Suite struct PythonProducerTests {
    private func python(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "30", "python3"] + arguments
        let output = Pipe()
        let given = Pipe()
        process.standardInput = given
        process.standardOutput = output
        process.standardError = output
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        try given.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func hasPyzmq() throws -> Bool {
        let found = try python(["-c", "import zmq.auth"]).status == 0
        if !found && ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("pyzmq is missing: apt-get install python3-zmq")
        }
        return found
    }

    private var script: String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/Examples/producer.py").path()
    }

    @Test func theExampleTalksToANode() throws {
        guard try hasPyzmq() else { return }
        let id = try event(1).id
        let node = try FakeNode { message in
            switch message {
            case .publish(let publish):
                let report = EventReport(
                    key: publish.target.key(newest: 1), id: publish.id, outcome: .apnsAccepted)
                return FakeNode.willing(message) + [.receipt(report)]
            case .status(let query):
                return [
                    .outcome(
                        sequence: query.sequence,
                        EventReport(key: query.target.key(newest: 1), id: id, outcome: .apnsAccepted))
                ]
            default: return FakeNode.willing(message)
            }
        }
        let result = try python(
            [script, node.endpoint],
            input: "ball-10.3 {\"aps\":{\"event\":\"update\",\"content-state\":{\"score\":\"114/2\"}}}\n")
        node.stop()
        #expect(result.status == 0, "\(result.output)")
        for word in ["ready", "ack", "receipt", "nack", "outcome", "bye"] {
            #expect(result.output.contains("\n" + word) || result.output.hasPrefix(word), "\(word)\n\(result.output)")
        }
        #expect(node.log.faults.isEmpty && node.log.publishes.first?.receipts == true)
    }

    @Test func theExampleIsShort() throws {
        let lines = try String(contentsOfFile: script, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 41)
    }
}
