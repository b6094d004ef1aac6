/// A channel or activity by (app, kind, name, instance, partition): the unit of sharding, ordering and conflation.
///
/// The canonical bytes are the only storage, so that a key is hashed, compared, stored and sent without conversion:
///
///     byte 0      version, 1
///     byte 1      kind: 1 channel, 2 activity
///     byte 2      length of app in bytes, 1…128, then the app in UTF-8
///     next        length of name in bytes, 1…200, then the name in UTF-8
///     4 bytes     instance, big-endian, from 1
///     2 bytes     partition, big-endian; 0 is the key's own shard
///
/// All instances and partitions of a name share a prefix (`nameBytes`), which is what the shard is computed from.
public struct Key: Hashable, Sendable {
    /// What a key names.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// An APNs broadcast channel.
        case channel = 1
        /// An activity followed by tokens.
        case activity = 2

        /// `channel` or `activity`.
        public var name: String { self == .channel ? "channel" : "activity" }
    }

    /// Version of the layout above.
    public static let layoutVersion: UInt8 = 1
    /// Longest app name in bytes.
    public static let appBytesMax = 128
    /// Longest name in bytes.
    public static let nameBytesMax = 200
    /// Longest key in bytes.
    public static let bytesMax = 10 + appBytesMax + nameBytesMax

    /// The canonical bytes.
    public let bytes: [UInt8]

    /// Builds the key; nil when app or name is empty or too long, or the instance is 0.
    public init?(app: String, kind: Kind, name: String, instance: UInt32 = 1, partition: UInt16 = 0) {
        let app = Array(app.utf8)
        let name = Array(name.utf8)
        guard (1...Self.appBytesMax).contains(app.count), (1...Self.nameBytesMax).contains(name.count), instance > 0
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(app.count + name.count + 10)
        bytes.append(Self.layoutVersion)
        bytes.append(kind.rawValue)
        bytes.append(UInt8(app.count))
        bytes += app
        bytes.append(UInt8(name.count))
        bytes += name
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: instance >> UInt32(shift))) }
        bytes.append(UInt8(partition >> 8))
        bytes.append(UInt8(truncatingIfNeeded: partition))
        self.bytes = bytes
    }

    /// Reads canonical bytes; nil unless they are exactly one well-formed key.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= 12, bytes[0] == Self.layoutVersion, Kind(rawValue: bytes[1]) != nil else { return nil }
        let appCount = Int(bytes[2])
        guard (1...Self.appBytesMax).contains(appCount), bytes.count >= 3 + appCount + 1 + 1 + 6 else { return nil }
        let nameCount = Int(bytes[3 + appCount])
        guard (1...Self.nameBytesMax).contains(nameCount), bytes.count == 4 + appCount + nameCount + 6 else {
            return nil
        }
        guard String(validating: bytes[3..<3 + appCount], as: UTF8.self) != nil,
            String(validating: bytes[(4 + appCount)..<(4 + appCount + nameCount)], as: UTF8.self) != nil
        else { return nil }
        self.bytes = bytes
        guard instance > 0 else { return nil }
    }

    /// For bytes that were built or checked elsewhere in this module.
    init(checked bytes: [UInt8]) { self.bytes = bytes }

    private var nameStart: Int { 4 + Int(bytes[2]) }
    private var nameEnd: Int { bytes.count - 6 }

    /// The kind.
    public var kind: Kind { Kind(rawValue: bytes[1]) ?? .channel }
    /// The app's name.
    public var app: String { String(decoding: bytes[3..<nameStart - 1], as: UTF8.self) }
    /// The name without app and instance.
    public var name: String { String(decoding: bytes[nameStart..<nameEnd], as: UTF8.self) }
    /// Everything before instance and partition: the same for all instances of a name; input of the shard hash.
    public var nameBytes: ArraySlice<UInt8> { bytes[..<nameEnd] }
    /// Grows by one each time an ended name is started again.
    public var instance: UInt32 { bytes[nameEnd..<nameEnd + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    /// 0 for the key itself; others only fan out a large audience.
    public var partition: UInt16 { bytes[(nameEnd + 4)...].reduce(0) { $0 << 8 | UInt16($1) } }

    /// The same name with another instance; itself when `instance` is 0, which no key has.
    public func with(instance: UInt32) -> Key {
        guard instance > 0 else { return self }
        var bytes = bytes
        for offset in 0..<4 {
            bytes[nameEnd + offset] = UInt8(truncatingIfNeeded: instance >> UInt32(24 - offset * 8))
        }
        return Key(checked: bytes)
    }
}

extension Key {
    /// Hashes all bytes at once: keys are looked up several times for every event.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Key: CustomStringConvertible {
    /// `shop/channel/match/7#2`: app, kind, name, instance.
    public var description: String { "\(app)/\(kind.name)/\(name)#\(instance)" }
}
