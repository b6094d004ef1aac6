/// What identifies an event of the simulation: it stands in the content state of its payload, so that it is recognised
/// wherever the bytes turn up.
struct EventMark: Hashable, Comparable, Sendable {
    /// Which producer, and so which name.
    var producer: Int
    /// Instance of the name.
    var instance: Int
    /// The producer's count.
    var number: Int

    private static let opening = Array("\"content-state\":{\"k\":".utf8)

    init(producer: Int, instance: Int, number: Int) {
        self.producer = producer
        self.instance = instance
        self.number = number
    }

    /// Finds the mark in bytes that contain a payload; nil when there is none.
    init?(in bytes: [UInt8]) {
        guard let start = Self.find(bytes) else { return nil }
        var numbers: [Int] = []
        var value: Int?
        for byte in bytes[start...] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = (value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
            default:
                if let value { numbers.append(value) }
                value = nil
            }
            if numbers.count == 3 { break }
        }
        guard numbers.count == 3 else { return nil }
        self.init(producer: numbers[0], instance: numbers[1], number: numbers[2])
    }

    private static func find(_ bytes: [UInt8]) -> Int? {
        let count = opening.count
        guard bytes.count > count else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var at = bytes.count - count
            // Backwards: the payload stands near the end of a record's row.
            while at >= 0 {
                var same = 0
                while same < count, bytes[at + same] == opening[same] { same += 1 }
                if same == count { return at + count }
                at -= 1
            }
            return nil
        }
    }

    static func < (left: EventMark, right: EventMark) -> Bool {
        (left.producer, left.instance, left.number) < (right.producer, right.instance, right.number)
    }
}
