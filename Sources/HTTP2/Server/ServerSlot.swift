/// One request on the server from its first header field to the close of its stream.
struct ServerSlot {
    var inUse = false
    var streamID: Int32 = 0
    var announced = false
    var headersDone = false
    var tooLarge = false
    var headerBytes = 0
    var method: [UInt8] = []
    var path: [UInt8] = []
    var headers = HeaderBlock()
    var body: [UInt8] = []
    /// The response's body and how far it was handed to nghttp2.
    var response: [UInt8] = []
    var responseOffset = 0
    var responded = false

    mutating func start(_ stream: Int32) {
        self = ServerSlot()
        inUse = true
        streamID = stream
    }

    mutating func clear() { self = ServerSlot() }
}
