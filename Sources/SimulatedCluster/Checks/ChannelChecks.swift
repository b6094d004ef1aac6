/// I5 for the catalogue: a channel that was answered is one channel for ever, and nobody else's.
struct ChannelChecks: Sendable {
    private var channels: [Int: [UInt8]] = [:]

    mutating func made(_ producer: Int, _ id: [UInt8]) -> String? {
        if let before = channels[producer], before != id { return "name \(producer) was given two channels" }
        if channels.contains(where: { $0.key != producer && $0.value == id }) {
            return "two names were given one channel"
        }
        channels[producer] = id
        return nil
    }
}
