extension PayloadLayout {
    private static var name: StaticString { "\"timestamp\":" }

    /// Size of the rendered body in bytes, without rendering it.
    public func renderedBytes(payloadBytes: Int, stampSeconds: Int64, quiet: Bool) -> Int {
        var bytes = payloadBytes - Int(stampLength) + Self.digitCount(stampSeconds)
        if stampInsertion != .replace { bytes += Self.name.utf8CodeUnitCount }
        if stampInsertion == .beforeMembers { bytes += 1 }
        return quiet ? bytes - Int(alertLength) : bytes
    }

    /// Appends the payload with its stamp to `output`. Every other byte is the producer's; `quiet` leaves out the
    /// alert.
    ///
    /// False, and nothing is appended, when the layout does not belong to a payload of this size or the stamp is
    /// negative: both come from disk or from another node and are not trusted.
    public func render(
        _ payload: Span<UInt8>, stampSeconds: Int64, quiet: Bool, into output: inout [UInt8]
    ) -> Bool {
        let stamp = Int(stampOffset)..<Int(stampOffset) + Int(stampLength)
        let alert = quiet ? Int(alertOffset)..<Int(alertOffset) + Int(alertLength) : 0..<0
        let end = payload.count
        guard stampSeconds >= 0, stamp.upperBound <= end, alert.upperBound <= end else { return false }
        payload.withUnsafeBufferPointer { bytes in
            func copy(_ start: Int, _ stop: Int) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<stop]))
            }
            output.reserveCapacity(output.count + end + 40)
            if alert.isEmpty {
                copy(0, stamp.lowerBound)
                appendStamp(stampSeconds, into: &output)
                copy(stamp.upperBound, end)
            } else if stamp.upperBound <= alert.lowerBound {
                copy(0, stamp.lowerBound)
                appendStamp(stampSeconds, into: &output)
                copy(stamp.upperBound, alert.lowerBound)
                copy(alert.upperBound, end)
            } else {
                copy(0, alert.lowerBound)
                copy(alert.upperBound, max(alert.upperBound, stamp.lowerBound))
                appendStamp(stampSeconds, into: &output)
                copy(max(alert.upperBound, stamp.upperBound), end)
            }
        }
        return true
    }

    private func appendStamp(_ seconds: Int64, into output: inout [UInt8]) {
        if stampInsertion != .replace {
            output.append(contentsOf: UnsafeBufferPointer(start: Self.name.utf8Start, count: 12))
        }
        // One append for all digits: this runs for every push.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = seconds
            if stampInsertion == .beforeMembers {
                start -= 1
                digits[start] = 0x2C
            }
            repeat {
                start -= 1
                digits[start] = 0x30 + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private static func digitCount(_ seconds: Int64) -> Int {
        var count = 1
        var rest = seconds / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }
}
