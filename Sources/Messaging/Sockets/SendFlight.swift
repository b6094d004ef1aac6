internal import CZeroMQ
import Loops

/// What a socket was given and still holds: libzmq says when it lets go of the memory of a message, be it because the
/// message has left or because it was dropped. Only for sockets with one peer.
///
/// Threads: any; libzmq's thread lands what the owner of the socket began.
final class SendFlight: Sendable {
    struct Load: Sendable {
        var bytes = 0
        var messages = 0
    }

    private let state = Lock(Load())

    /// What is in flight at this moment.
    var load: Load { state.withLock { $0 } }

    /// Counts a message; false when the bytes in flight would exceed `bytesMax`. One message alone may be larger.
    func begin(_ bytes: Int, bytesMax: Int) -> Bool {
        state.withLock { load in
            guard load.messages == 0 || load.bytes + bytes <= bytesMax else { return false }
            load.bytes += bytes
            load.messages += 1
            return true
        }
    }

    func land(_ bytes: Int) {
        state.withLock { load in
            load.bytes -= bytes
            load.messages -= 1
        }
    }
}

/// The memory of one message: its size, then its bytes.
private enum FlightMemory {
    static let prefix = 16

    static func make(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: prefix + bytes.count, alignment: prefix)
        memory.storeBytes(of: bytes.count, as: Int.self)
        bytes.withUnsafeBytes {
            (memory + prefix).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count)
        }
        return memory + prefix
    }

    static func free(_ body: UnsafeMutableRawPointer) -> Int {
        let memory = body - prefix
        defer { memory.deallocate() }
        return memory.load(as: Int.self)
    }
}

/// Called by libzmq, on any of its threads or within a call of ours, once for every message.
private func letGo(_ body: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
    guard let body, let hint else { return }
    let bytes = FlightMemory.free(body)
    Unmanaged<SendFlight>.fromOpaque(hint).takeRetainedValue().land(bytes)
}

extension Socket {
    /// Sends a message of one frame that counts in `flight` until libzmq is done with it. Never waits. `.full` also
    /// when `bytesMax` would be exceeded.
    func send(_ bytes: [UInt8], in flight: SendFlight, bytesMax: Int) -> SendResult {
        guard isOpen else { return .failed("closed") }
        guard flight.begin(bytes.count, bytesMax: bytesMax) else { return .full }
        let hint = Unmanaged.passRetained(flight).toOpaque()
        var message = zmq_msg_t()
        guard zmq_msg_init_data(&message, FlightMemory.make(bytes), bytes.count, letGo, hint) == 0 else {
            preconditionFailure("zmq_msg_init_data: \(ZMQError.last.text)")
        }
        while zmq_msg_send(&message, pointer, ZMQ_DONTWAIT) < 0 {
            let error = ZMQError.last
            if error.number == EINTR { continue }
            zmq_msg_close(&message)
            return error.number == EAGAIN ? .unreachable : .failed(error.text)
        }
        return .sent
    }

    /// Whether a message would be taken at once; also lets libzmq see to what happened to the connection. A socket
    /// with `immediate` is writable only while it is connected.
    var isWritable: Bool {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard isOpen, zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) == 0 else { return false }
        return events & Int32(ZMQ_POLLOUT) != 0
    }
}
