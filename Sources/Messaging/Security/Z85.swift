internal import CZeroMQ

/// ZeroMQ's text form of CURVE keys (ZeroMQ RFC 32).
enum Z85 {
    static let alphabet = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

    /// 32 bytes of 40 characters; nil for anything else.
    static func decode(_ text: String) -> [UInt8]? {
        // Checked here because libzmq's decoder has read beyond its table for other characters.
        guard text.utf8.count == 40, text.utf8.allSatisfy(alphabet.contains) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard zmq_z85_decode(&bytes, text) != nil else { return nil }
        return bytes
    }

    /// 40 characters for 32 bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 41)
        guard bytes.count == 32, zmq_z85_encode(&text, bytes, 32) != nil else { return "" }
        return String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
