import APNsSimulator
import CLinux
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import Messaging
import SimulatedAPNs
import Testing

extension EndToEnd {
    /// Docs/Examples/producer.py at a real node, fed line by line while the test changes the world around it.
    @Suite(
        .enabled(if: ClientProgram.isExpected(pythonModules: "zmq.auth"), "pyzmq is not installed"))
    struct PythonProducerTests {
        @Test(.timeLimit(.minutes(2))) func fromHelloToAnotherKey() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let admin = try trial.client(admin: true)
            let channel = try await trial.createChannel("match/ipl-2024-final", admin)
            try trial.control.addDevices(3, app: Trial.bundle, .channel(channel), schema: "Score")
            await admin.close()

            let run = try ProducerRun(trial)
            defer { run.end() }
            run.write("ball-1 " + String(decoding: Event.payload(1), as: UTF8.self))
            #expect(run.says("outcome"), "\(run.output)")
            for word in ["ready", "ack", "state"] { #expect(run.output.contains(word)) }
            #expect(shows(1, channel, trial))

            run.write(#"ball-2 {"aps":{"event":"update","content-state":[]}}"#)
            #expect(run.says("lint-failed", "content-state-type"), "\(run.output)")
            #expect(run.says("nack", "unknown-key"), "status of what was refused")

            // Another key under the same name. The old one is withdrawn first: the producer is refused, takes its new
            // secret, and is refused in the handshake until the node knows the public half.
            let keys = trial.cluster.directory + "/data/keys/producer/"
            let renewed = try Certificate.generate(name: "scores", role: .producer).write(
                directory: trial.cluster.directory)
            try TextFile.write(TextFile.read(renewed.secretPath), to: keys + "scores.key_secret")
            TextFile.remove(keys + "scores.key")
            var counter = 2
            let isRenewed = eventually {
                counter += 1
                run.write("ball-\(counter) " + String(decoding: Event.payload(counter), as: UTF8.self))
                return eventually { run.has("not-allowed") || run.has("outcome", "ball-\(counter)") }
                    && run.has("not-allowed")
            }
            #expect(isRenewed, "\(run.output)")
            try TextFile.write(TextFile.read(renewed.publicPath), to: keys + "scores.key")
            // The refusal may have hit a question after its publish: the next event is what makes it connect again.
            counter += 1
            run.write("ball-\(counter) " + String(decoding: Event.payload(counter), as: UTF8.self))
            #expect(run.says("outcome", "ball-\(counter)"), "\(run.output)")
            #expect(run.output.split(separator: "\n").filter { $0.hasPrefix("ready") }.count == 2)
            #expect(shows(counter, channel, trial))

            #expect(run.closeInput() == .exited(0), "\(run.output)")
            for word in ["receipt", "apns_accepted", "\nbye"] { #expect(run.output.contains(word), "\(run.output)") }
        }

        private func shows(_ counter: Int, _ channel: String, _ trial: Trial) -> Bool {
            let condition = Condition(
                .channel(channel), .field(name: "counter", value: .integer(Int64(counter))), activitiesMin: 3)
            do { try trial.control.wait(condition, timeoutMilliseconds: 20_000) } catch { return false }
            return true
        }
    }
}

/// producer.py with a named pipe as its input.
private final class ProducerRun {
    private let child: ChildProcess
    private let outputPath: String
    private let pipe: Int32
    private var ending: ChildProcess.Ending?
    private var isOpen = true

    init(_ trial: Trial) throws {
        let directory = trial.cluster.directory
        let path = directory + "/events"
        outputPath = directory + "/producer.out"
        guard mkfifo(path, 0o600) == 0 else { throw Fault(.outputUnwritable, at: path) }
        let keys = directory + "/data/keys"
        child = try ClientProgram("sh").start(
            [
                "-c", "exec python3 \"$0\" \"$@\" < '\(path)'", ClientProgram.producer, trial.cluster.endpoint,
                keys + "/producer/scores.key_secret", keys + "/node/n1.key",
            ], output: outputPath)
        // Waits for the reader; for writing only, so that the reader sees its end.
        pipe = crl_open(path, O_WRONLY | O_CLOEXEC, 0)
    }

    var output: String { TextFile.read(outputPath) }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = CLinux.write(pipe, bytes, bytes.count)
    }

    /// Whether a line of its output holds all the words.
    func has(_ words: String...) -> Bool { has(words) }

    /// The same, as soon as it is so.
    func says(_ words: String...) -> Bool { eventually(within: 30_000) { has(words) } }

    private func has(_ words: [String]) -> Bool {
        output.split(separator: "\n").contains { line in words.allSatisfy(line.contains) }
    }

    /// Ends its input; how it ended, nil when it does not.
    func closeInput() -> ChildProcess.Ending? {
        close(pipe)
        isOpen = false
        _ = eventually {
            ending = child.poll()
            return ending != nil
        }
        return ending
    }

    func end() {
        if isOpen { close(pipe) }
        guard ending == nil else { return }
        child.kill(SIGKILL)
        _ = child.wait()
    }
}
