import CLinux
import Loops
import Testing

@Suite struct ChildProcessTests {
    @Test func theEndIsTold() throws {
        #expect(try ChildProcess(program: "/bin/sh", arguments: ["-c", "exit 7"]).wait() == .exited(7))
        let child = try ChildProcess(program: "/bin/sh", arguments: ["-c", "exec tail -f /dev/null"])
        #expect(child.poll() == nil)
        child.kill(SIGKILL)
        #expect(child.wait() == .signalled(SIGKILL))
    }

    @Test func whatDoesNotListenIsKilled() throws {
        let child = try ChildProcess(
            program: "/bin/sh", arguments: ["-c", "trap '' TERM; exec tail -f /dev/null"])
        #expect(child.end(withinMilliseconds: 50) != .exited(0))
    }

    @Test func aMissingProgramIsNamed() {
        #expect(throws: ChildProcess.StartFailure.self) {
            try ChildProcess(program: "/nowhere/program", arguments: [])
        }
    }
}
