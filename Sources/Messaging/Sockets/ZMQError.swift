internal import CZeroMQ

/// libzmq's error number of the calling thread.
struct ZMQError {
    let number: Int32

    static var last: ZMQError { ZMQError(number: zmq_errno()) }

    /// libzmq's words.
    var text: String { String(cString: zmq_strerror(number)) }
}
