internal import CNGHTTP2
internal import Loops

/// What the callbacks do: they collect responses in the slots and report what ended.
extension ClientConnection {
    /// The slot of a stream. Most callbacks in a row are about the same one, which spares nghttp2's look-up.
    func slot(of stream: Int32) -> UnsafeMutablePointer<ClientSlot>? {
        if stream == recentStream { return table.slots + recentSlot }
        guard let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream)) else { return nil }
        recentStream = stream
        recentSlot = index
        return table.slots + index
    }

    /// A field of the header block that is being read.
    func readHeader(_ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: stream), !slot.pointee.headersDone else { return }
        if name.first == UInt8(ascii: ":") {
            slot.pointee.status = parseStatus(value) ?? 0
            slot.pointee.informational = slot.pointee.status < 200
            return
        }
        if slot.pointee.informational { return }
        slot.pointee.headerBytes += name.count + value.count
        guard slot.pointee.headerBytes <= options.maxHeaderBytes else {
            refuse(slot)
            return
        }
        slot.pointee.headers.append(name, value)
    }

    /// A part of a response's body.
    func readData(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: stream), !slot.pointee.tooLarge else { return }
        guard slot.pointee.response.count + bytes.count <= options.maxResponseBytes else {
            refuse(slot)
            return
        }
        slot.pointee.response.append(contentsOf: bytes)
    }

    private func refuse(_ slot: UnsafeMutablePointer<ClientSlot>) {
        guard !slot.pointee.tooLarge else { return }
        slot.pointee.tooLarge = true
        slot.pointee.response = []
        nghttp2_submit_rst_stream(session, FrameFlag.none, slot.pointee.streamID, ErrorCode.cancel.rawValue)
    }

    /// A whole frame was read.
    func readFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch header.type {
        case FrameType.headers, FrameType.data: readMessageFrame(header)
        case FrameType.settings where header.flags & FrameFlag.acknowledgement == 0: readSettings()
        case FrameType.ping where header.flags & FrameFlag.acknowledgement != 0: readPong(frame.pointee.ping)
        case FrameType.goAway: readGoAway(frame.pointee.goaway)
        default: break
        }
    }

    private func readMessageFrame(_ header: nghttp2_frame_hd) {
        let ends = header.flags & FrameFlag.endStream != 0
        guard ends || header.type == FrameType.headers, let slot = slot(of: header.stream_id) else { return }
        if header.type == FrameType.headers {
            if slot.pointee.informational {
                slot.pointee.informational = false
                slot.pointee.status = 0
            } else {
                slot.pointee.headersDone = true
            }
        }
        if ends, slot.pointee.status >= 200, !slot.pointee.tooLarge { slot.pointee.answered = true }
    }

    private func readSettings() {
        encoder.limitTable(
            to: Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_HEADER_TABLE_SIZE)))
        let announced = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        peerMaxConcurrentStreams = min(Int(announced), table.limit)
        events.append(.peerLimit(peerMaxConcurrentStreams))
    }

    private func readPong(_ ping: nghttp2_ping) {
        let sent = withUnsafeBytes(of: ping.opaque_data) { $0.loadUnaligned(as: Int64.self) }
        guard pingSent != 0, sent == pingSent else { return }
        pingSent = 0
        events.append(.pong(nanoseconds: Clock.monotonicNanoseconds() - sent))
    }

    /// Most bytes of GOAWAY's debug data that are kept.
    private static let maxDebugData = 1_024

    private func readGoAway(_ goAway: nghttp2_goaway) {
        isDraining = true
        let count = min(goAway.opaque_data_len, Self.maxDebugData)
        let debugData = [UInt8](UnsafeBufferPointer(start: goAway.opaque_data, count: count))
        events.append(
            .goAway(
                lastStreamID: goAway.last_stream_id, errorCode: ErrorCode(rawValue: goAway.error_code),
                debugData: debugData))
    }

    /// nghttp2 has let go of a stream.
    func streamClosed(_ stream: Int32, _ code: ErrorCode) {
        guard let slot = slot(of: stream) else { return }
        // A request that nghttp2 never serialised cannot have been acted on; neither can a refused one.
        let left = slot.pointee.endPosition != ClientSlot.notStaged || slot.pointee.bodyOffset > 0
        settle(recentSlot, left: left && code != .refusedStream, code)
    }

    /// Reports the outcome of a slot and frees it. `left`: the peer may have acted on the request.
    func settle(_ index: Int, left: Bool, _ code: ErrorCode) {
        let slot = table.slots + index
        guard slot.pointee.inUse else { return }
        if !slot.pointee.reported {
            report(slot, left: left, code)
            openStreams -= 1
        }
        slot.pointee.clear()
        table.release(index)
        if recentSlot == index { recentStream = 0 }
    }

    private func report(_ slot: UnsafeMutablePointer<ClientSlot>, left: Bool, _ code: ErrorCode) {
        let tag = slot.pointee.tag
        if slot.pointee.answered {
            // Moved, not copied: the slot is cleared next.
            var headers = HeaderBlock()
            var body: [UInt8] = []
            swap(&headers, &slot.pointee.headers)
            swap(&body, &slot.pointee.response)
            events.append(
                .response(
                    ClientResponse(tag: tag, status: Int(slot.pointee.status), headers: headers, body: body)))
        } else if slot.pointee.tooLarge {
            events.append(.streamFailed(tag: tag, .responseTooLarge))
        } else {
            events.append(.streamFailed(tag: tag, left ? .unknown(errorCode: code) : .unprocessed))
        }
    }
}
