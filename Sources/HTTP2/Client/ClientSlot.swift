/// One request from `submit` to its event.
struct ClientSlot {
    static let notStaged = UInt64.max

    var tag: UInt64 = 0
    var inUse = false
    /// The header block was serialised.
    var begun = false
    /// The outcome was reported although nghttp2 still holds the stream.
    var reported = false
    var streamID: Int32 = 0
    /// Final status; 0 until its header field came.
    var status: Int32 = 0
    /// The response is complete.
    var answered = false
    /// An informational (1xx) header block is being read.
    var informational = false
    /// The final header block is complete: what follows are trailers.
    var headersDone = false
    var tooLarge = false
    var headerBytes = 0
    /// How far the body was handed to nghttp2.
    var bodyOffset = 0
    /// The channel's plaintext position behind the last byte of the request.
    var endPosition = ClientSlot.notStaged
    /// The fixed fields, encoded when the request leaves.
    var template: RequestTemplate?
    var body: [UInt8] = []
    var headers = HeaderBlock()
    var response: [UInt8] = []
    /// Path and variable values one after the other; the memory is kept from request to request.
    var values = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
    var valuesCapacity = 128
    var lengths = InlineArray<5, Int32>(repeating: 0)

    mutating func start(tag: UInt64, template: RequestTemplate, body: [UInt8]) {
        self.tag = tag
        self.template = template
        self.body = body
        inUse = true
        begun = false
        reported = false
        status = 0
        answered = false
        informational = false
        headersDone = false
        tooLarge = false
        headerBytes = 0
        bodyOffset = 0
        endPosition = ClientSlot.notStaged
    }

    mutating func clear() {
        inUse = false
        template = nil
        body = []
        headers = HeaderBlock()
        response = []
    }

    /// Copies path and variable values, which are encoded when the request leaves.
    mutating func keepValues(_ request: borrowing ClientRequest) {
        let count = request.totalValueCount
        if count > valuesCapacity {
            values.deallocate()
            valuesCapacity = max(count, 2 * valuesCapacity)
            values = .allocate(capacity: valuesCapacity)
        }
        lengths = request.copyValues(to: values)
    }
}
