internal import CNGHTTP2

/// What the callbacks do: they collect requests in the slots and report them.
extension ServerConnection {
    /// A header block begins: a new request, or trailers. Returns what the callback returns.
    func beginHeaders(_ stream: Int32) -> Int32 {
        if let index = slotIndex(nghttp2_session_get_stream_user_data(session, stream)) {
            headerSlot = index
            return 0
        }
        guard let index = table.take() else {
            refusedStreams += 1
            headerSlot = nil
            nghttp2_submit_rst_stream(session, FrameFlag.none, stream, ErrorCode.refusedStream.rawValue)
            return 0
        }
        table.slots[index].start(stream)
        nghttp2_session_set_stream_user_data(session, stream, streamData(index))
        headerSlot = index
        openStreams += 1
        return 0
    }

    /// A field of the header block that is being read. Returns what the callback returns.
    func readHeader(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard let index = headerSlot else { return 0 }
        let slot = table.slots + index
        if slot.pointee.headersDone { return 0 }
        slot.pointee.headerBytes += name.count + value.count
        guard slot.pointee.headerBytes <= options.maxHeaderBytes else {
            refusedStreams += 1
            return resetThisStream
        }
        guard name.first == UInt8(ascii: ":") else {
            slot.pointee.headers.append(name, value)
            return 0
        }
        if matches(name, ":path") {
            slot.pointee.path = [UInt8](value)
        } else if matches(name, ":method") {
            slot.pointee.method = [UInt8](value)
        }
        return 0
    }

    /// A part of a request's body.
    func readData(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        let slot = table.slots + index
        let room = options.maxBodyBytes - slot.pointee.body.count
        slot.pointee.body.append(contentsOf: bytes.prefix(room))
        if bytes.count > room { slot.pointee.tooLarge = true }
    }

    /// A whole frame was read.
    func readFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        if header.type == FrameType.goAway {
            clientLeaves = true
            events.append(.goAway(errorCode: ErrorCode(rawValue: frame.pointee.goaway.error_code)))
            return
        }
        guard header.type == FrameType.headers || header.type == FrameType.data,
            let index = slotIndex(nghttp2_session_get_stream_user_data(session, header.stream_id))
        else { return }
        if header.type == FrameType.headers { table.slots[index].headersDone = true }
        if header.flags & FrameFlag.endStream != 0 { announce(index) }
    }

    private func announce(_ index: Int) {
        let slot = table.slots + index
        guard !slot.pointee.announced else { return }
        slot.pointee.announced = true
        events.append(
            .request(
                ServerRequest(
                    stream: slot.pointee.streamID, method: slot.pointee.method, path: slot.pointee.path,
                    headers: slot.pointee.headers, body: slot.pointee.body, bodyTooLarge: slot.pointee.tooLarge)))
        // The event has them now.
        slot.pointee.headers = HeaderBlock()
        slot.pointee.body = []
    }

    /// nghttp2 has let go of a stream.
    func streamClosed(_ index: Int, _ code: ErrorCode) {
        let slot = table.slots + index
        guard slot.pointee.inUse else { return }
        if slot.pointee.announced {
            events.append(.streamClosed(stream: slot.pointee.streamID, errorCode: code))
        }
        slot.pointee.clear()
        table.release(index)
        openStreams -= 1
        if headerSlot == index { headerSlot = nil }
    }
}
