extension Key {
    /// Builds instance 1 of a name from UTF-8 that a decoder has checked; nil when a length is out of range.
    init?(appBytes app: ArraySlice<UInt8>, kind: Kind, nameBytes name: ArraySlice<UInt8>) {
        guard (1...Self.appBytesMax).contains(app.count), (1...Self.nameBytesMax).contains(name.count) else {
            return nil
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: app.count + name.count + 10) { buffer, count in
            buffer[0] = Self.layoutVersion
            buffer[1] = kind.rawValue
            buffer[2] = UInt8(app.count)
            var index = 3
            for byte in app {
                buffer[index] = byte
                index += 1
            }
            buffer[index] = UInt8(name.count)
            index += 1
            for byte in name {
                buffer[index] = byte
                index += 1
            }
            for byte: UInt8 in [0, 0, 0, 1, 0, 0] {
                buffer[index] = byte
                index += 1
            }
            count = index
        }
        self.init(checked: bytes)
    }

    /// The app's name in UTF-8.
    public var appBytes: ArraySlice<UInt8> { bytes[3..<3 + Int(bytes[2])] }

    /// The name without app and instance in UTF-8.
    public var ownNameBytes: ArraySlice<UInt8> { bytes[4 + Int(bytes[2])..<bytes.count - 6] }
}
