internal import CNGHTTP2
internal import Loops

/// What the callbacks do: they collect responses in the slots and report what ended.
extension ClientConnection {
    /// A field of the header block that is being read. Returns what the callback returns.
    func readHeader(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let index = headerSlot else { return 0 }
        let slot = table.slots + index
        if slot.pointee.headersDone { return 0 }
        if name.first == UInt8(ascii: ":") {
            slot.pointee.status = parseStatus(value) ?? 0
            slot.pointee.informational = slot.pointee.status < 200
            return 0
        }
        if slot.pointee.informational { return 0 }
        slot.pointee.headerBytes += name.count + value.count
        guard slot.pointee.headerBytes <= options.maxHeaderBytes else {
            refuse(slot)
            return 0
        }
        slot.pointee.headers.append(name, value)
        return 0
    }

    /// A part of a response's body.
    func readData(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        let slot = table.slots + index
        if slot.pointee.tooLarge { return }
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

    /// A HEADERS frame, or the last DATA frame, of a request was taken over from nghttp2, that is: after it was staged.
    func sentMessageFrame(_ header: nghttp2_frame_hd) {
        guard let index = slotIndex(nghttp2_session_get_stream_user_data(session, header.stream_id)) else { return }
        table.slots[index].begun = true
        if header.flags & FrameFlag.endStream != 0 { table.slots[index].endPosition = channel.staged }
    }

    private func readMessageFrame(_ header: nghttp2_frame_hd) {
        let ends = header.flags & FrameFlag.endStream != 0
        guard ends || header.type == FrameType.headers,
            let index = slotIndex(nghttp2_session_get_stream_user_data(session, header.stream_id))
        else { return }
        let slot = table.slots + index
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
    func streamClosed(_ index: Int, _ code: ErrorCode) {
        // A request that nghttp2 never serialised cannot have been acted on; neither can a refused one.
        let left = table.slots[index].endPosition != ClientSlot.notStaged || table.slots[index].bodyOffset > 0
        settle(index, left: left && code != .refusedStream, code)
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
        if headerSlot == index { headerSlot = nil }
    }

    private func report(_ slot: UnsafeMutablePointer<ClientSlot>, left: Bool, _ code: ErrorCode) {
        let tag = slot.pointee.tag
        if slot.pointee.answered {
            events.append(
                .response(
                    ClientResponse(
                        tag: tag, status: Int(slot.pointee.status), headers: slot.pointee.headers,
                        body: slot.pointee.response)))
        } else if slot.pointee.tooLarge {
            events.append(.streamFailed(tag: tag, .responseTooLarge))
        } else {
            events.append(.streamFailed(tag: tag, left ? .unknown(errorCode: code) : .unprocessed))
        }
    }
}
