internal import CLinux
internal import CNGHTTP2
public import Codes

/// One HTTP/2 connection over TLS, as a server.
///
/// Driven like `ClientConnection`: wait on `descriptor` (and for writing while `wantsWrite` holds), call `ready`,
/// answer, and `flush` once per turn. After `closed` take `descriptor` out of the poller and let the connection go. A
/// client that never finishes its handshake is the owner's to `close`.
///
/// Threads: everything on one loop thread. Nothing blocks.
public final class ServerConnection {
    let channel: TLSChannel
    let options: ServerOptions
    let session: OpaquePointer
    private let pool: UnsafeMutablePointer<FreeListPool>
    private let input: UnsafeMutableRawBufferPointer
    var table: SlotTable<ServerSlot>
    var events: [ServerEvent] = []
    /// What nghttp2 last said about the client's frames, and with which code it ended the session.
    var lastViolation = ""
    var ownVerdict: ErrorCode?
    /// The slot whose header block is being read.
    var headerSlot: Int?
    var clientLeaves = false
    private let context: TLSServerContext
    private var isOver = false
    private var isPreparing = true
    private var hasMoreInput = false

    /// Streams that are open, answered or not.
    public internal(set) var openStreams = 0
    /// Streams refused for too many header bytes or because `maxOpenStreams` was reached.
    public internal(set) var refusedStreams = 0
    /// For the poller; stays open until the connection is released.
    public var descriptor: Int32 { channel.descriptor }
    /// Write readiness should be waited for.
    public var wantsWrite: Bool { !isOver && (channel.isBlocked || hasMoreInput) }
    /// TLS and ALPN are done and `closed` was not reported.
    public var isEstablished: Bool { !isPreparing && !isOver }
    /// The certificate that the client showed in the handshake, in DER; empty when it showed none. Nobody has judged
    /// it: that is up to the owner.
    public var clientCertificate: [UInt8] { channel.peerCertificate }
    /// `closed` was reported.
    public var isClosed: Bool { isOver }

    /// Takes over a descriptor from `Listener.accept`. `place` names the peer in faults.
    public init(
        context: TLSServerContext, accepted: Int32, options: ServerOptions = ServerOptions(), place: String = ""
    ) throws(Fault) {
        self.context = context
        channel = try TLSChannel(
            context.context, descriptor: accepted, place: place, serverName: nil, phase: .handshaking,
            acceptsMissingALPN: context.acceptsMissingALPN)
        self.options = options
        table = SlotTable(limit: max(1, min(options.maxOpenStreams, 100_000))) { ServerSlot() }
        pool = .allocate(capacity: 1)
        pool.initialize(to: FreeListPool())
        session = makeServerSession(pool, options)
        input = .allocate(byteCount: TLSChannel.recordSize, alignment: 16)
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        nghttp2_session_del(session)
        pool.pointee.destroy()
        pool.deinitialize(count: 1)
        pool.deallocate()
        table.destroy()
        input.deallocate()
    }

    // MARK: Turns of the loop

    /// Carries on after the poller reported the descriptor. Reads whatever is there.
    public func ready(readable: Bool, writable: Bool, into target: inout [ServerEvent]) {
        collect(into: &target) { () throws(Fault) in
            if isPreparing {
                guard try channel.advance() else { return }
                try open()
            }
            if writable { try pump() }
            try receive()
        }
    }

    /// Sends what this turn queued. Call once per turn, after `ready` and the answers.
    public func flush(into target: inout [ServerEvent]) {
        guard isEstablished else { return }
        collect(into: &target) { () throws(Fault) in try pump() }
    }

    /// Ends the connection now, without a GOAWAY; `closed(nil)` follows.
    public func close(into target: inout [ServerEvent]) {
        collect(into: &target) { finish(nil) }
    }

    private func collect(into target: inout [ServerEvent], _ body: () throws(Fault) -> Void) {
        guard !isOver else { return }
        swap(&events, &target)
        do throws(Fault) { try body() } catch { finish(error) }
        swap(&events, &target)
    }

    private func open() throws(Fault) {
        isPreparing = false
        submitServerSettings(session, options)
        events.append(.connected(channel.info))
        try pump()
    }

    /// Most bytes read in one turn, so that one client cannot hold up the loop.
    private static let readBudget = 1 << 20

    private func receive() throws(Fault) {
        var total = 0
        hasMoreInput = false
        while !isOver {
            switch try channel.read(into: input) {
            case .nothing: return
            case .end:
                let fault = Fault(.connectionLost, "closed by the client", at: channel.place)
                return finish(openStreams == 0 ? nil : fault)
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
            var bytes: UnsafePointer<UInt8>?
            let count = crl_nghttp2_mem_send(session, &bytes)
            if count < 0 { throw violation(count) }
            guard count > 0, let bytes else { break }
            try channel.stage(bytes, count)
        }
        try channel.flush()
        if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
            finish(ownVerdict.map { Fault(.protocolViolation, "\($0) \(lastViolation)", at: channel.place) })
        } else if clientLeaves, openStreams == 0, !channel.isBlocked {
            finish(nil)
        }
    }

    private func violation(_ code: Int) -> Fault {
        let text = lastViolation.isEmpty ? nghttp2Text(code) : lastViolation
        return Fault(.protocolViolation, text, at: channel.place)
    }

    private func finish(_ fault: Fault?) {
        guard !isOver else { return }
        isOver = true
        channel.close()
        openStreams = 0
        events.append(.closed(fault))
    }

    // MARK: Answers

    /// Queues a response; false when the stream is gone or was answered already. An empty body sends none.
    @discardableResult
    public func respond(stream: Int32, status: Int, headers: borrowing HeaderBlock, body: [UInt8]) -> Bool {
        guard isEstablished, let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream)),
            !table.slots[index].responded
        else { return false }
        let slot = table.slots + index
        slot.pointee.responded = true
        slot.pointee.response = body
        var provider = crl_nghttp2_data_provider()
        provider.source.ptr = streamData(index)
        provider.read_callback = readServerBody
        return withFields(status, headers) { fields in
            withUnsafePointer(to: &provider) { provider in
                crl_nghttp2_submit_response(
                    session, stream, fields.baseAddress, fields.count, body.isEmpty ? nil : provider) == 0
            }
        }
    }

    /// Lays the response's header block out for nghttp2, which copies it.
    private func withFields(
        _ status: Int, _ headers: borrowing HeaderBlock, _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Bool
    ) -> Bool {
        let name: StaticString = ":status"
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { digits in
            digits[0] = UInt8(48 + status / 100 % 10)
            digits[1] = UInt8(48 + status / 10 % 10)
            digits[2] = UInt8(48 + status % 10)
            return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: headers.count + 1) { fields in
                fields.initializeElement(
                    at: 0,
                    to: field(
                        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
                        UnsafeBufferPointer(digits)))
                return headers.withPointers(fields: fields, body)
            }
        }
    }

    /// Resets a stream with `code`; `refusedStream` tells the client that the request was not looked at.
    public func reset(stream: Int32, code: ErrorCode) {
        guard isEstablished else { return }
        nghttp2_submit_rst_stream(session, FrameFlag.none, stream, code.rawValue)
    }

    /// Announces the end: streams above `lastStreamID` are dropped unanswered, those up to it go on. Nil: everything
    /// read so far goes on. The connection stays open until the client closes it or `close` is called.
    public func goAway(lastStreamID: Int32? = nil, errorCode: ErrorCode = .noError, debugData: [UInt8] = []) {
        guard isEstablished else { return }
        let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session)
        nghttp2_submit_goaway(session, FrameFlag.none, last, errorCode.rawValue, debugData, debugData.count)
    }

    /// Announces a new MAX_CONCURRENT_STREAMS; open streams are not touched, later ones above it are refused.
    public func setMaxConcurrentStreams(_ count: Int) {
        guard isEstablished else { return }
        var entry = setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)
        nghttp2_submit_settings(session, FrameFlag.none, &entry, 1)
    }

    /// Announces a new SETTINGS_HEADER_TABLE_SIZE, in bytes (the protocol starts with 4,096): how much a client may
    /// keep in the compression table. Clients must follow (RFC 7541 4.2); this is for testing that they do.
    public func setHeaderTableSize(_ size: Int) {
        guard isEstablished else { return }
        var entry = setting(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, size)
        nghttp2_submit_settings(session, FrameFlag.none, &entry, 1)
    }

    /// The highest stream that was read, for `goAway`.
    public var lastReadStreamID: Int32 { nghttp2_session_get_last_proc_stream_id(session) }
}

func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> nghttp2_nv {
    nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.baseAddress),
        value: UnsafeMutablePointer(mutating: value.baseAddress),
        namelen: name.count, valuelen: value.count, flags: 0)
}

extension HeaderBlock {
    /// Completes `fields` from its second element on and calls `body` while the pointers hold.
    func withPointers(
        fields target: UnsafeMutableBufferPointer<nghttp2_nv>, _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Bool
    ) -> Bool {
        withAll { all in
            var index = 1
            while index <= count, let next = all.next() {
                target.initializeElement(at: index, to: field(next.name, next.value))
                index += 1
            }
            return body(UnsafeBufferPointer(rebasing: target[0..<index]))
        }
    }
}
