internal import CNGHTTP2
internal import Loops

/// A session with our callbacks, memory and limits; the caller sets the user data.
func makeClientSession(_ pool: UnsafeMutablePointer<FreeListPool>, _ options: ClientOptions) -> OpaquePointer {
    var callbacks: OpaquePointer?
    var settings: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&settings) == 0 else {
        preconditionFailure("out of memory")
    }
    defer {
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(settings)
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks, clientReadsHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, clientReadsData)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, clientReadsFrame)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, clientClosesStream)
    nghttp2_session_callbacks_set_error_callback2(callbacks, clientMetViolation)
    // nghttp2 would assume 100 until the first SETTINGS; APNs allows 1 at that time (Docs/APNs.md 1.3).
    nghttp2_option_set_peer_max_concurrent_streams(settings, UInt32(clamping: max(1, options.initialStreams)))
    // Closed streams are kept for the priority tree only, which APNs ignores.
    nghttp2_option_set_no_closed_streams(settings, 1)
    var memory = makeMemory(pool)
    var session: OpaquePointer?
    guard nghttp2_session_client_new3(&session, callbacks, nil, settings, &memory) == 0, let session else {
        preconditionFailure("out of memory")
    }
    return session
}

func submitClientSettings(_ session: OpaquePointer, _ options: ClientOptions) {
    let entries = [
        setting(NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
        setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.streamWindow),
        setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, options.maxHeaderBytes),
    ]
    nghttp2_submit_settings(session, FrameFlag.none, entries, entries.count)
    nghttp2_session_set_local_window_size(
        session, FrameFlag.none, 0, Int32(clamping: max(65_535, options.connectionWindow)))
}

func setting(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
    nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: min(value, Int(Int32.max))))
}

/// The connection is alive: it is inside the call that runs nghttp2.
@inline(__always)
private func withConnection<Result>(
    _ data: UnsafeMutableRawPointer, _ body: (ClientConnection) -> Result
) -> Result {
    Unmanaged<ClientConnection>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}

/// Gives nghttp2 the next part of a request's body.
func readClientBody(
    _ session: OpaquePointer?, _ stream: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ data: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let flags, let data, let index = slotIndex(source?.pointee.ptr)
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    return withConnection(data) { connection in
        let slot = connection.table.slots + index
        let count = copyBody(slot.pointee.body, from: slot.pointee.bodyOffset, to: buffer, length)
        slot.pointee.bodyOffset += count
        if slot.pointee.bodyOffset == slot.pointee.body.count {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            connection.endingSlot = index
        }
        return count
    }
}

/// Copies the part of `body` that starts at `offset`, at most `length` bytes.
func copyBody(_ body: [UInt8], from offset: Int, to buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
    let count = min(length, body.count - offset)
    body.withUnsafeBufferPointer { bytes in
        if let start = bytes.baseAddress, count > 0 { buffer.update(from: start + offset, count: count) }
    }
    return count
}

private func clientReadsHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _ flags: UInt8,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data, let frame, let name, let value else { return 0 }
    withConnection(data) {
        $0.readHeader(
            frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameLength),
            UnsafeBufferPointer(start: value, count: valueLength))
    }
    return 0
}

private func clientReadsData(
    _ session: OpaquePointer?, _ flags: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data, let bytes else { return 0 }
    withConnection(data) { $0.readData(stream, UnsafeBufferPointer(start: bytes, count: count)) }
    return 0
}

private func clientReadsFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data, let frame else { return 0 }
    withConnection(data) { $0.readFrame(frame) }
    return 0
}

private func clientClosesStream(
    _ session: OpaquePointer?, _ stream: Int32, _ code: UInt32, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data else { return 0 }
    withConnection(data) { $0.streamClosed(stream, ErrorCode(rawValue: code)) }
    return 0
}

private func clientMetViolation(
    _ session: OpaquePointer?, _ code: Int32, _ text: UnsafePointer<CChar>?, _ length: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data, let text else { return 0 }
    withConnection(data) { connection in
        connection.lastViolation = String(
            decoding: UnsafeRawBufferPointer(start: text, count: min(length, 200)), as: UTF8.self)
    }
    return 0
}
