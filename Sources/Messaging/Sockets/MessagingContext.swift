internal import CZeroMQ

/// A libzmq context: the I/O thread and the inproc names that sockets share. One per process, or one per node in tests.
///
/// Threads: any; sockets of one context may live on different threads. Every socket keeps its context, so the context
/// ends after the last of them, and waits then for what their linger allows.
public final class MessagingContext: @unchecked Sendable {  // libzmq contexts are made for use by many threads
    let pointer: UnsafeMutableRawPointer

    /// Starts a context with its I/O threads; one carries about 200,000 encrypted or a million plain messages a second.
    public init(ioThreads: Int32 = 1, socketsMax: Int32 = 1024) {
        guard let context = zmq_ctx_new() else { preconditionFailure("zmq_ctx_new: \(ZMQError.last.text)") }
        pointer = context
        zmq_ctx_set(context, ZMQ_IO_THREADS, ioThreads)
        zmq_ctx_set(context, ZMQ_MAX_SOCKETS, socketsMax)
    }

    deinit { while zmq_ctx_term(pointer) != 0 && zmq_errno() == EINTR {} }

    /// `major.minor.patch` of the library that is loaded.
    public static var libraryVersion: String {
        var major: Int32 = 0
        var minor: Int32 = 0
        var patch: Int32 = 0
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    /// Whether the library can encrypt.
    public static var hasCurve: Bool { zmq_has("curve") == 1 }
}
