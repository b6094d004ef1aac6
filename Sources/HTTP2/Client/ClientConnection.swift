internal import CLinux
internal import CNGHTTP2
public import Codes
internal import Loops

/// One HTTP/2 connection over TLS, as a client.
///
/// The owner waits on `descriptor` for reading, and for writing while `wantsWrite` holds; calls `ready` when the
/// descriptor is; submits requests; and calls `flush` once at the end of each turn of its loop, so that all requests
/// and acknowledgements of the turn leave in few large writes. Events are appended to the caller's array.
///
/// Every submitted tag is reported exactly once, as `response` or as `streamFailed`, at the latest before `closed`.
/// After `closed` the owner takes `descriptor` out of its poller and lets the connection go. Time-outs, also of
/// connecting, are the owner's: `cancel` and `close`.
///
/// Threads: everything on one loop thread. Nothing blocks.
public final class ClientConnection {
    let channel: TLSChannel
    let options: ClientOptions
    let session: OpaquePointer
    private let pool: UnsafeMutablePointer<FreeListPool>
    private let input: UnsafeMutableRawBufferPointer
    // Callbacks reach these from inside nghttp2, always on the one thread; checking each access costs 2 % of a request.
    @exclusivity(unchecked) var table: SlotTable<ClientSlot>
    @exclusivity(unchecked) var events: [ClientEvent] = []

    /// Set by the callbacks.
    /// What nghttp2 last said about the peer's frames, and with which code it ended the session.
    var lastViolation = ""
    var ownVerdict: ErrorCode?
    /// The stream that the last callback was about (0: none), and its slot.
    @exclusivity(unchecked) var recentStream: Int32 = 0
    @exclusivity(unchecked) var recentSlot = 0
    /// The slot whose last body bytes nghttp2 has just read; -1: none.
    @exclusivity(unchecked) var endingSlot = -1
    var pingSent: Int64 = 0
    var isDraining = false
    /// Outcomes of `cancel`, which has no array to append to.
    private var deferred: [ClientEvent] = []
    private let context: TLSClientContext
    private var isOver = false
    private var isPreparing = true
    private var hasMoreInput = false
    private var lastStreamID: Int32 = 0
    var encoder = HeaderEncoder()
    private var block = HeaderWriter()

    /// Requests that were submitted and not yet reported.
    public internal(set) var openStreams = 0
    /// How many streams the peer allows, cut to `maxOpenStreams`; `initialStreams` until its SETTINGS arrived.
    public internal(set) var peerMaxConcurrentStreams: Int
    /// For the poller; stays open until the connection is released.
    public var descriptor: Int32 { channel.descriptor }
    /// Write readiness should be waited for.
    public var wantsWrite: Bool { !isOver && (channel.isBlocked || hasMoreInput) }
    /// TLS and ALPN are done and `closed` was not reported.
    public var isEstablished: Bool { !isPreparing && !isOver }
    /// `closed` was reported.
    public var isClosed: Bool { isOver }

    /// Whether `submit` would take a request now: established, below the peer's limit, no GOAWAY, identifiers left.
    public var canSubmit: Bool {
        isEstablished && !isDraining && openStreams < peerMaxConcurrentStreams
            && lastStreamID <= options.maxStreamID &- 2
    }

    /// Whether stream identifiers have run out: the connection must be replaced.
    public var isExhausted: Bool { lastStreamID > options.maxStreamID &- 2 }

    /// Starts to connect to `address`; the certificate must be valid for `serverName` (a DNS name or an IP address).
    ///
    /// Throws `connect-failed` when the attempt fails at once; otherwise failures arrive with `closed`.
    public init(
        context: TLSClientContext, serverName: String, address: SocketAddress, options: ClientOptions = ClientOptions()
    ) throws(Fault) {
        let socket = try connectSocket(address)
        self.context = context
        channel = try TLSChannel(
            context.context, descriptor: socket, place: "\(serverName) at \(address)", serverName: serverName,
            phase: .connecting)
        self.options = options
        let limit = max(1, min(options.maxOpenStreams, 100_000))
        peerMaxConcurrentStreams = min(options.initialStreams, limit)
        table = SlotTable(limit: limit) { ClientSlot() }
        pool = .allocate(capacity: 1)
        pool.initialize(to: FreeListPool())
        session = makeClientSession(pool, options)
        input = .allocate(byteCount: TLSChannel.recordSize, alignment: 16)
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        nghttp2_session_del(session)
        pool.pointee.destroy()
        pool.deinitialize(count: 1)
        pool.deallocate()
        for index in 0..<table.capacity { table.slots[index].values.deallocate() }
        table.destroy()
        input.deallocate()
        block.destroy()
    }

    // MARK: Turns of the loop

    /// Carries on after the poller reported the descriptor. Reads whatever is there.
    public func ready(readable: Bool, writable: Bool, into target: inout [ClientEvent]) {
        collect(into: &target) { () throws(Fault) in
            if isPreparing {
                guard try channel.advance() else { return }
                try open()
            }
            if writable { try pump() }
            try receive()
        }
    }

    /// Sends what this turn queued. Call once per turn, after `ready` and `submit`.
    public func flush(into target: inout [ClientEvent]) {
        guard isEstablished else { return }
        collect(into: &target) { () throws(Fault) in try pump() }
    }

    /// Ends the connection now; open tags are reported, then `closed(nil)`.
    public func close(into target: inout [ClientEvent]) {
        collect(into: &target) { finish(nil) }
    }

    /// Ends the connection now without one more byte leaving the process. Requests that had not left whole are reported
    /// as `unprocessed`, the others as lost; then `closed(nil)`.
    public func abandon(into target: inout [ClientEvent]) {
        collect(into: &target) { finish(nil, says: false) }
    }

    /// Whether a request was submitted whose last byte has not left the process. Looks at every open request.
    public var hasUnsentRequests: Bool {
        guard !isOver else { return false }
        return (0..<table.capacity).contains { index in
            let slot = table.slots + index
            return slot.pointee.inUse && !slot.pointee.reported && !slot.pointee.answered
                && slot.pointee.endPosition > channel.handedOver
        }
    }

    /// Lends the caller's array to the callbacks while `body` runs, and turns its fault into the end.
    private func collect(into target: inout [ClientEvent], _ body: () throws(Fault) -> Void) {
        guard !isOver else { return }
        swap(&events, &target)
        if !deferred.isEmpty {
            events.append(contentsOf: deferred)
            deferred.removeAll()
        }
        do throws(Fault) { try body() } catch { finish(error) }
        swap(&events, &target)
    }

    private func open() throws(Fault) {
        isPreparing = false
        submitClientSettings(session, options)
        events.append(.connected(channel.info))
        try pump()
    }

    /// Most bytes read in one turn, so that one peer cannot hold up the loop.
    private static let readBudget = 4 << 20

    private func receive() throws(Fault) {
        var total = 0
        hasMoreInput = false
        while !isOver {
            switch try channel.read(into: input) {
            case .nothing: return
            case .end: return peerEnded()
            case .bytes(let count):
                let used = crl_nghttp2_mem_recv(session, input.assumingMemoryBound(to: UInt8.self).baseAddress, count)
                if used < 0 { throw violation(used) }
                total += count
            }
            if total >= Self.readBudget {
                // OpenSSL may hold bytes that epoll does not know of: waiting for write readiness brings us back.
                hasMoreInput = true
                return
            }
        }
    }

    private func pump() throws(Fault) {
        while !isOver {
            if !channel.hasRoom {
                try channel.send()
                guard channel.hasRoom else { return }
            }
            endingSlot = -1
            var bytes: UnsafePointer<UInt8>?
            let count = crl_nghttp2_mem_send(session, &bytes)
            if count < 0 { throw violation(count) }
            guard count > 0, let bytes else { break }
            try stage(bytes, count)
        }
        try channel.flush()
        if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
            finish(ownVerdict.map { Fault(.protocolViolation, "\($0) \(lastViolation)", at: channel.place) })
        } else if isDraining, openStreams == 0, !channel.isBlocked {
            finish(nil)
        }
    }

    /// Hands a frame on to TLS and notes what it means for its request; a HEADERS frame gets its real header block in
    /// place of nghttp2's.
    private func stage(_ frame: UnsafePointer<UInt8>, _ count: Int) throws(Fault) {
        switch frame[3] {
        case FrameType.headers where count >= Self.frameHeader:
            guard let slot = slot(of: streamID(of: frame)), let template = slot.pointee.template else { break }
            write(frame, template, slot)
            try channel.stage(block.bytes, block.count)
            slot.pointee.begun = true
            if frame[4] & FrameFlag.endStream != 0 { slot.pointee.endPosition = channel.staged }
            return
        case FrameType.data where endingSlot >= 0:
            // nghttp2 gives out a DATA frame in the same call in which it reads its content.
            try channel.stage(frame, count)
            table.slots[endingSlot].endPosition = channel.staged
            endingSlot = -1
            return
        case FrameType.goAway where count >= Self.frameHeader + 8:
            let code = (13..<17).reduce(UInt32(0)) { $0 << 8 | UInt32(frame[$1]) }
            if code != 0 { ownVerdict = ErrorCode(rawValue: code) }
        default: break
        }
        try channel.stage(frame, count)
    }

    private func write(
        _ frame: UnsafePointer<UInt8>, _ template: RequestTemplate, _ slot: UnsafeMutablePointer<ClientSlot>
    ) {
        block.begin(frame)
        encoder.encode(template, values: slot.pointee.values, lengths: slot.pointee.lengths, into: &block)
        block.setFrameLength()
    }

    private static let frameHeader = 9

    private func streamID(of frame: UnsafePointer<UInt8>) -> Int32 {
        Int32(frame[5] & 0x7f) << 24 | Int32(frame[6]) << 16 | Int32(frame[7]) << 8 | Int32(frame[8])
    }

    private func violation(_ code: Int) -> Fault {
        let text = lastViolation.isEmpty ? nghttp2Text(code) : lastViolation
        return Fault(.protocolViolation, text, at: channel.place)
    }

    private func peerEnded() {
        let orderly = isDraining && openStreams == 0
        finish(orderly ? nil : Fault(.connectionLost, "closed by the peer", at: channel.place))
    }

    /// Reports what is open and ends the connection.
    private func finish(_ fault: Fault?, says: Bool = true) {
        guard !isOver else { return }
        isOver = true
        // What waits for the socket may still go out, so this comes before the tags are judged.
        if says { channel.close() } else { channel.abandon() }
        for index in 0..<table.capacity where table.slots[index].inUse {
            settle(index, left: table.slots[index].endPosition <= channel.handedOver, .noError)
        }
        events.append(.closed(fault))
    }

    // MARK: Requests

    /// Queues a request; nothing is sent before `flush`. False when it is not taken (see `canSubmit`).
    ///
    /// `tag` comes back with the outcome; the caller keeps tags unique among its open requests.
    public func submit(_ request: borrowing ClientRequest, tag: UInt64) -> Bool {
        guard canSubmit else { return false }
        guard request.totalValueCount <= ClientRequest.maxValueBytes else {
            deferred.append(.streamFailed(tag: tag, .unprocessed))
            return true
        }
        guard let index = table.take() else { return false }
        let slot = table.slots + index
        slot.pointee.start(tag: tag, template: request.template, body: request.body)
        slot.pointee.keepValues(request)
        var provider = crl_nghttp2_data_provider()
        provider.source.ptr = streamData(index)
        provider.read_callback = readClientBody
        let id = withMethod(request.template) { method in
            request.body.isEmpty
                ? crl_nghttp2_submit_request(session, method, 1, nil, streamData(index))
                : crl_nghttp2_submit_request(session, method, 1, &provider, streamData(index))
        }
        guard id > 0 else {
            slot.pointee.clear()
            table.release(index)
            return false
        }
        slot.pointee.streamID = id
        lastStreamID = id
        openStreams += 1
        return true
    }

    /// nghttp2 is only told the method, which it needs to judge the response; the header block is ours (see `stage`).
    private func withMethod(_ template: RequestTemplate, _ body: (UnsafePointer<nghttp2_nv>) -> Int32) -> Int32 {
        let method = template.pseudo[0]
        return method.name.withUnsafeBufferPointer { name in
            method.value.withUnsafeBufferPointer { value in
                var entry = field(name, value)
                entry.flags = FieldFlag.noCopy
                return body(&entry)
            }
        }
    }

    /// Gives a request up; its outcome comes with a later event: a response that was already there, `unprocessed` if it
    /// had not left, or else `unknown(CANCEL)`.
    public func cancel(tag: UInt64) {
        guard isEstablished else { return }
        for index in 0..<table.capacity where table.slots[index].inUse && table.slots[index].tag == tag {
            let slot = table.slots + index
            nghttp2_submit_rst_stream(session, FrameFlag.none, slot.pointee.streamID, ErrorCode.cancel.rawValue)
            guard !slot.pointee.begun, !slot.pointee.reported else { continue }
            // nghttp2 may hold it back for long when the peer's limit fell: the caller need not wait for that.
            slot.pointee.reported = true
            openStreams -= 1
            deferred.append(.streamFailed(tag: tag, .unprocessed))
        }
    }

    /// Asks the peer for a sign of life; `pong` follows. A second ping replaces the first.
    public func ping() {
        guard isEstablished else { return }
        pingSent = Clock.monotonicNanoseconds()
        withUnsafeBytes(of: pingSent) { bytes in
            _ = nghttp2_submit_ping(session, FrameFlag.none, bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        }
    }

    /// Takes no more requests, tells the peer (GOAWAY), and ends once the open ones are reported.
    public func shutdown() {
        guard isEstablished, !isDraining else { return }
        isDraining = true
        nghttp2_submit_goaway(session, FrameFlag.none, 0, ErrorCode.noError.rawValue, nil, 0)
    }
}

/// A non-blocking socket that has begun to connect.
private func connectSocket(_ address: SocketAddress) throws(Fault) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let opened = socket(address.family, type, 0)
    guard opened >= 0 else { throw Fault(.connectFailed, systemError(), at: address.description) }
    setSocketOption(opened, Int32(IPPROTO_TCP), TCP_NODELAY)
    let result = address.withSockaddr { connect(opened, __CONST_SOCKADDR_ARG(__sockaddr__: $0), $1) }
    guard result == 0 || crl_errno() == EINPROGRESS else {
        let reason = systemError()
        close(opened)
        throw Fault(.connectFailed, reason, at: address.description)
    }
    return opened
}
