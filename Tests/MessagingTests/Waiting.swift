import Loops
import Messaging

/// Waits until `condition` holds, looking again whenever `poll` finds something, for at most ten seconds.
func wait(_ poll: SocketPoll = SocketPoll(), until condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Clock.bootMilliseconds() + 10_000
    while try !condition() {
        guard Clock.bootMilliseconds() < deadline else { return false }
        poll.wait(milliseconds: 10)
    }
    return true
}

/// Receives one message of `socket`, waiting at most ten seconds; empty when none came.
func receive(_ socket: Socket) -> [[UInt8]] {
    var buffer = Multipart()
    let poll = SocketPoll()
    _ = poll.add(socket)
    guard wait(poll, until: { socket.receive(into: &buffer) == .received }) else { return [] }
    return buffer.frames
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
