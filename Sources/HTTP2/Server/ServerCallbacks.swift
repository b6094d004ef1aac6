internal import CNGHTTP2

/// A session with our callbacks, memory and limits; the caller sets the user data.
func makeServerSession(_ pool: UnsafeMutablePointer<FreeListPool>, _ options: ServerOptions) -> OpaquePointer {
    var callbacks: OpaquePointer?
    var settings: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&settings) == 0 else {
        preconditionFailure("out of memory")
    }
    defer {
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(settings)
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, serverBeginsHeaders)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, serverReadsHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, serverReadsData)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, serverReadsFrame)
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, serverSentFrame)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, serverClosesStream)
    nghttp2_session_callbacks_set_error_callback2(callbacks, serverMetViolation)
    nghttp2_option_set_no_closed_streams(settings, 1)
    nghttp2_option_set_stream_reset_rate_limit(
        settings, UInt64(clamping: options.resetBurst), UInt64(clamping: options.resetsPerSecond))
    var memory = makeMemory(pool)
    var session: OpaquePointer?
    guard nghttp2_session_server_new3(&session, callbacks, nil, settings, &memory) == 0, let session else {
        preconditionFailure("out of memory")
    }
    return session
}

func submitServerSettings(_ session: OpaquePointer, _ options: ServerOptions) {
    let entries = [
        setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.maxConcurrentStreams),
        setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.streamWindow),
        setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, options.maxHeaderBytes),
    ]
    nghttp2_submit_settings(session, FrameFlag.none, entries, entries.count)
    nghttp2_session_set_local_window_size(
        session, FrameFlag.none, 0, Int32(clamping: max(65_535, options.connectionWindow)))
}

@inline(__always)
private func connection(_ data: UnsafeMutableRawPointer?) -> ServerConnection? {
    data.map { Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue() }
}

/// Gives nghttp2 the next part of a response's body.
func readServerBody(
    _ session: OpaquePointer?, _ stream: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ data: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let flags, let connection = connection(data), let index = slotIndex(source?.pointee.ptr)
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let slot = connection.table.slots + index
    let count = copyBody(slot.pointee.response, from: slot.pointee.responseOffset, to: buffer, length)
    slot.pointee.responseOffset += count
    if slot.pointee.responseOffset == slot.pointee.response.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
}

private func serverBeginsHeaders(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let connection = connection(data) else { return 0 }
    return connection.beginHeaders(frame.pointee.hd.stream_id)
}

private func serverReadsHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _ flags: UInt8,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let connection = connection(data), let name, let value else { return 0 }
    return connection.readHeader(
        UnsafeBufferPointer(start: name, count: nameLength), UnsafeBufferPointer(start: value, count: valueLength))
}

private func serverReadsData(
    _ session: OpaquePointer?, _ flags: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let connection = connection(data), let bytes,
        let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    else { return 0 }
    connection.readData(index, UnsafeBufferPointer(start: bytes, count: count))
    return 0
}

private func serverReadsFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let connection = connection(data) else { return 0 }
    connection.readFrame(frame)
    return 0
}

private func serverSentFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.hd.type == FrameType.goAway, frame.pointee.goaway.error_code != 0,
        let connection = connection(data)
    else { return 0 }
    connection.ownVerdict = ErrorCode(rawValue: frame.pointee.goaway.error_code)
    return 0
}

private func serverClosesStream(
    _ session: OpaquePointer?, _ stream: Int32, _ code: UInt32, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let connection = connection(data),
        let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream))
    else { return 0 }
    connection.streamClosed(index, ErrorCode(rawValue: code))
    return 0
}

private func serverMetViolation(
    _ session: OpaquePointer?, _ code: Int32, _ text: UnsafePointer<CChar>?, _ length: Int,
    _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let connection = connection(data), let text else { return 0 }
    connection.lastViolation = String(
        decoding: UnsafeRawBufferPointer(start: text, count: min(length, 200)), as: UTF8.self)
    return 0
}
