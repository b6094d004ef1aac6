/// Bounds that keep the work on a hostile document small and known beforehand.
public struct JSONLimits: Sendable, Hashable {
    /// Most bytes of a document. Never above `UInt32.max`.
    public var bytesMax: Int
    /// Most containers inside one another; a document of one scalar has depth 0. At most 1024.
    public var depthMax: Int
    /// Most members of one object. The search for duplicates costs their square at worst.
    public var keysPerObjectMax: Int

    /// What a payload or a frame header may need: 64 KiB, depth 32, 256 keys per object.
    public static let standard = JSONLimits()

    /// Makes limits; out-of-range values are brought into range.
    public init(bytesMax: Int = 65_536, depthMax: Int = 32, keysPerObjectMax: Int = 256) {
        self.bytesMax = min(max(bytesMax, 0), Int(UInt32.max))
        self.depthMax = min(max(depthMax, 0), 1024)
        self.keysPerObjectMax = max(keysPerObjectMax, 0)
    }
}
