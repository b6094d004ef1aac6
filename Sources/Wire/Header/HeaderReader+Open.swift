import Codes

extension HeaderReader {
    /// Checks frames 0 and 1 and their number, and finds the header's members.
    static func open(
        _ frames: [[UInt8]], headerBytesMax: Int, framesMax: Int = ProducerProtocol.framesMax
    ) throws(WireFault) -> HeaderReader {
        guard let first = frames.first else { throw WireFault(.malformed, "no frames") }
        guard first == ProducerProtocol.tag else {
            let versioned = first.count >= 4 && first.count <= 8 && first.starts(with: ProducerProtocol.tag.dropLast())
            throw versioned
                ? WireFault(
                    .unsupportedVersion, "this node speaks " + ProducerProtocol.versions.joined(separator: ", "))
                : WireFault(.malformed, "frame 0 is no protocol version")
        }
        guard (2...framesMax).contains(frames.count) else {
            throw WireFault(.malformed, "\(frames.count) frames")
        }
        let bytes = frames[1]
        guard bytes.count <= headerBytesMax else { throw WireFault(.malformed, "header of \(bytes.count) bytes") }
        return HeaderReader(bytes: bytes, members: try HeaderScanner.members(ofHeader: bytes))
    }

    /// The fault for a command that is not known, with the sequence number when there is one.
    mutating func unknownCommand() -> WireFault {
        _ = try? requireSequence()
        return WireFault(.unknownCommand, sequence: sequence)
    }
}
