import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Testing
import Wire

extension EndToEnd {
    /// `--end-with-parent`: nodes that a program starts never outlive it, but outlive its threads.
    @Suite struct ParentTests {
        @Test(.timeLimit(.minutes(1))) func aNodeOutlivesTheThreadThatStartedIt() async throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let (program, log) = (try Binary.path(), trial.cluster.nodeLog)
            let arguments = ["node", "--config", trial.cluster.configuration, "--name", "n1", "--end-with-parent"]
            let environment = ["PATH=/usr/bin:/bin", "CARILLON_NODE_N1_PRODUCERS=\(trial.cluster.endpoint)"]
            let started = Lock<ChildProcess?>(nil)
            let (ready, mayEnd) = (Wakeup(), Wakeup())
            let thread = LoopThread(name: "starter")
            thread.start {
                let child = try? ChildProcess(
                    program: program, arguments: arguments, environment: environment, output: log, errors: log)
                started.withLock { $0 = child }
                ready.signal()
                wait(for: mayEnd)
            }
            wait(for: ready)
            let child = try #require(started.withLock { $0 })
            defer { child.end() }
            let client = try trial.client()
            try await client.ping()
            mayEnd.signal()
            thread.join()
            for counter in 1...20 {
                _ = try await client.publish(Event.update(Event.target(activity: "match/1"), counter))
            }
            #expect(trial.log.count("node stops") == 0)
            await client.close()
        }

        @Test(.timeLimit(.minutes(1))) func aNodeEndsWithTheProcessThatStartedIt() async throws {
            let trial = try Trial(startsNode: false)
            defer { trial.end() }
            let command =
                "\(try Binary.path()) node --config \(trial.cluster.configuration) --name n1 --end-with-parent"
            let parent = try ChildProcess(
                program: "/bin/sh", arguments: ["-c", command + " & wait"],
                environment: ["PATH=/usr/bin:/bin", "CARILLON_NODE_N1_PRODUCERS=\(trial.cluster.endpoint)"],
                output: trial.cluster.nodeLog, errors: trial.cluster.nodeLog)
            let isUp = eventually { trial.log.count("node started") == 1 }
            parent.kill(SIGKILL)
            _ = parent.wait()
            #expect(isUp && eventually { trial.log.count("node stopped") == 1 })
        }
    }
}

private func wait(for wakeup: Wakeup) {
    let poller = Poller()
    poller.add(wakeup.descriptor, tag: 0)
    poller.wait(milliseconds: 30_000) { _ in }
}
