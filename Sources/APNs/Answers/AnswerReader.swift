internal import Delivery
internal import HTTP2

/// Reads what Delivery judges out of a response.
enum AnswerReader {
    /// The answer in `response`. A success has no body worth reading.
    static func answer(_ response: ClientResponse) -> Answer {
        let status = UInt16(clamping: response.status)
        if (200..<300).contains(response.status) { return Answer(status: status) }
        let (reason, timestamp) = AnswerBody.reason(in: response.body)
        return Answer(
            status: status, reason: reason.map { Reason($0) },
            retryAfterMilliseconds: response.headers["retry-after"].flatMap { seconds($0) }.map { $0 * 1000 },
            sinceMilliseconds: timestamp)
    }

    /// `retry-after` as a number of seconds, at most a day; the form with a date is not honoured.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        guard (1...9).contains(text.count) else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return min(value, 86_400)
    }
}
